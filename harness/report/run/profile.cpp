#include "report/run/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"
#include "report/run/counters_text.hpp"

namespace warpmark {
namespace {

// The least share of a counter for which a line is marked.
constexpr double kMuch = 0.15;
// The lines of a header that are shown before and after one that counts.
constexpr size_t kNearLines = 8;

int64_t sum_of(const CounterSums& counters, std::string_view measure) {
  int64_t sum = 0;
  for (const auto& [name, value] : counters) {
    if (name.ends_with(measure)) sum += value;
  }
  return sum;
}
int64_t sectors_of(const CounterSums& counters) {
  return sum_of(counters, "_sectors") - sum_of(counters, "_ideal_sectors");
}
// Counts the requests of accesses that have sectors: all that also have unique bytes.
int64_t cached_requests(const CounterSums& counters) {
  int64_t sum = 0;
  for (const auto& [name, value] : counters) {
    const size_t end = name.rfind("_unique_bytes");
    if (end != std::string::npos && value > 0)
      sum += counter_value(counters, name.substr(0, end) + "_requests");
  }
  return sum;
}
int64_t ideal_of(const CounterSums& counters) {
  return sum_of(counters, "_ideal_wavefronts");
}
int64_t wavefronts_of(const CounterSums& counters) {
  return sum_of(counters, "_wavefronts") - ideal_of(counters);
}
int64_t instructions_of(const CounterSums& counters) {
  return counter_value(counters, "ptx_warp_instructions");
}
int64_t turns_of(const CounterSums& counters) {
  return counter_value(counters, "global_atomic_turns") +
         counter_value(counters, "shared_atomic_turns");
}

struct Mark {
  char letter;
  int64_t (*of)(const CounterSums&);
};
constexpr std::array kMarks = {Mark{'i', instructions_of}, Mark{'s', sectors_of},
                               Mark{'w', wavefronts_of}, Mark{'t', turns_of}};

std::string without_tabs(const std::string& line) {
  std::string text;
  for (const char c : line) text += c == '\t' ? std::string("  ") : std::string(1, c);
  return text;
}

// At most `room` bytes of a text, and no part of a character.
std::string start_of(const std::string& text, size_t room) {
  size_t end = std::min(room, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

// Takes the counters that it shows from `counted`, those of the source's file.
void add_lines(std::vector<ProfiledFile>& files, const SourceText& source,
               std::map<int64_t, CounterSums>& counted) {
  auto file = std::ranges::find(files, source.name, &ProfiledFile::name);
  if (file == files.end()) file = files.insert(file, {source.name, true, {}});
  std::vector<std::string> texts = split(source.text, '\n');
  if (texts.back().empty()) texts.pop_back();
  int64_t number = source.first_line;
  for (std::string& text : texts) {
    ProfiledLine line{number, std::move(text), {}, "", 0};
    if (auto counters = counted.extract(number)) line.counters = std::move(counters.mapped());
    file->lines.push_back(std::move(line));
    ++number;
  }
}

// Leaves out what is far from all lines that count.
void keep_near_counts(std::vector<ProfiledLine>& lines) {
  std::vector<bool> near(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].counters.empty()) continue;
    const size_t end = std::min(lines.size(), i + kNearLines + 1);
    for (size_t other = i - std::min(i, kNearLines); other < end; ++other) near[other] = true;
  }
  std::vector<ProfiledLine> kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (near[i]) kept.push_back(std::move(lines[i]));
  }
  lines = std::move(kept);
}

void mark_lines(std::vector<ProfiledFile>& files) {
  for (const Mark& mark : kMarks) {
    int64_t all = 0;
    for (const ProfiledFile& file : files) {
      for (const ProfiledLine& line : file.lines) all += mark.of(line.counters);
    }
    if (all == 0) continue;
    for (ProfiledFile& file : files) {
      for (ProfiledLine& line : file.lines) {
        const double share = static_cast<double>(mark.of(line.counters)) / static_cast<double>(all);
        line.most_share = std::max(line.most_share, share);
        if (share >= kMuch) line.marks += mark.letter;
      }
    }
  }
}

}  // namespace

const char* const kProfileLegend =
    "warps   warps that came to the line; instr. their PTX instructions; lanes  active of 32\n"
    "sectors 32-byte sectors a request; used  share of their bytes that was asked for\n"
    "excess  wavefronts of shared memory beyond the ideal; div.  branches that diverged\n"
    "marks   15 % or more of all i instructions, s sectors, w wavefronts, t turns of atomics\n";

CaseProfile make_profile(Outcome outcome, const std::vector<SourceText>& sources,
                         const std::vector<SourceText>& headers) {
  CaseProfile profile;
  LineCounters counted = line_counters(outcome.counters);
  std::vector<SourceText> texts = sources;
  texts.insert(texts.end(), headers.begin(), headers.end());
  for (nlohmann::ordered_json& launch : outcome.counters) {
    if (launch.is_object() && launch.contains("samples")) add_line_texts(launch["samples"], texts);
  }
  profile.outcome = std::move(outcome);
  const auto find = [&](const SourceText& source) {
    return std::ranges::find_if(
        counted, [&](const auto& file) { return is_named(file.first, source.name); });
  };
  for (const SourceText& source : sources) {
    const auto found = find(source);
    if (found != counted.end()) add_lines(profile.files, source, found->second);
  }
  std::vector<ProfiledFile> included;
  for (const SourceText& header : headers) {
    const auto found = find(header);
    const bool is_shown = found == counted.end() || found->second.empty();  // under another name
    if (!is_shown) add_lines(included, header, found->second);
  }
  for (ProfiledFile& file : included) {
    keep_near_counts(file.lines);
    profile.files.push_back(std::move(file));
  }
  for (ProfiledFile& file : profile.files) {
    std::ranges::stable_sort(file.lines, {}, &ProfiledLine::number);
    // A file may be compiled twice, with other options; its first lines took the counters.
    const auto again = std::unique(
        file.lines.begin(), file.lines.end(),
        [](const ProfiledLine& a, const ProfiledLine& b) { return a.number == b.number; });
    file.lines.erase(again, file.lines.end());
  }
  for (const auto& [name, lines] : counted) {
    if (lines.empty()) continue;
    ProfiledFile file{name, false, {}};
    for (const auto& [number, counters] : lines) {
      file.lines.push_back({number, "", counters, "", 0});
    }
    profile.files.push_back(std::move(file));
  }
  mark_lines(profile.files);
  return profile;
}

const std::vector<std::string>& profile_titles() {
  static const std::vector<std::string> kTitles = {"warps", "instr.", "lanes", "sectors",
                                                   "used",  "excess", "div."};
  return kTitles;
}

std::vector<std::string> profile_cells(const ProfiledLine& line) {
  const CounterSums& c = line.counters;
  const auto over = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  std::vector<std::string> cells(profile_titles().size());
  const int64_t instructions = instructions_of(c);
  if (instructions == 0) return cells;
  cells[0] = whole_text(counter_value(c, "executions"));
  cells[1] = whole_text(instructions);
  cells[2] = fmt::format("{:.1f}", over(counter_value(c, "ptx_thread_instructions"), instructions));
  if (const int64_t requests = cached_requests(c); requests > 0) {
    cells[3] = fmt::format("{:.1f}", over(sectors_of(c), requests));
    cells[4] =
        percent_text(over(sum_of(c, "_unique_bytes"), std::max<int64_t>(1, sectors_of(c))) / 32);
  }
  if (const int64_t ideal = ideal_of(c); ideal > 0) {
    cells[5] = percent_text(over(wavefronts_of(c) - ideal, ideal));
  }
  if (const int64_t branches = counter_value(c, "ptx_branches"); branches > 0) {
    cells[6] = percent_text(over(counter_value(c, "ptx_divergent_branches"), branches));
  }
  return cells;
}

std::string profile_text(const CaseProfile& profile, const ConsoleStyle& style) {
  std::string out = counters_text(profile.outcome, style);
  constexpr std::array<size_t, 7> kWidths = {9, 11, 5, 7, 5, 6, 5};
  for (const ProfiledFile& file : profile.files) {
    out += "\n" + coloured(style, Colour::bold, printable(file.name)) +
           (file.known ? "" : " (a header of the toolkit or of Warpmark: its text is not shown)") +
           "\n";
    std::string head = fmt::format("{:>5} {:<4}", "line", "");
    for (size_t i = 0; i < kWidths.size(); ++i)
      head += fmt::format(" {:>{}}", profile_titles()[i], kWidths[i]);
    out += coloured(style, Colour::dim, head) + "\n";
    for (const ProfiledLine& line : file.lines) {
      std::string text = fmt::format("{:>5} {:<4}", line.number, line.marks);
      const std::vector<std::string> cells = profile_cells(line);
      for (size_t i = 0; i < cells.size(); ++i)
        text += fmt::format(" {:>{}}", cells[i], kWidths[i]);
      const std::string source = printable(without_tabs(line.text));
      const size_t room =
          std::max<size_t>(style.width, 100) - std::min<size_t>(text.size() + 2, 99);
      text += "  " + (style.progress ? start_of(source, room) : source);
      text.erase(text.find_last_not_of(' ') + 1);
      out += (line.marks.empty() ? text : coloured(style, Colour::yellow, text)) + "\n";
    }
  }
  return out;
}

}  // namespace warpmark
