#include "results/covered_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "results/counted_lines.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

int64_t count_lines(const std::string& text) {
  const auto ends = std::ranges::count(text, '\n');
  return static_cast<int64_t>(ends) + (text.empty() || text.back() == '\n' ? 0 : 1);
}

void add_text(std::vector<OwnText>& texts, const std::string& name, const fs::path& file) {
  try {
    texts.push_back({name, display_path(file), count_lines(read_file(file))});
  } catch (const Error&) {
    // The case says that it cannot be read.
  }
}

// The text with the longest of the names that fit: a/x.cu before x.cu.
const OwnText* text_of(const std::vector<OwnText>& texts, const std::string& file) {
  const OwnText* found = nullptr;
  for (const OwnText& one : texts) {
    if (!is_named(file, one.name)) continue;
    if (found == nullptr || one.name.size() > found->name.size()) found = &one;
  }
  return found;
}

std::string line_text(int64_t line) {
  return line == 0 ? "behind the function" : fmt::format("at line {}", line);
}

}  // namespace

std::vector<OwnText> own_texts(const Plan& plan, const Suite& suite) {
  std::vector<OwnText> texts;
  add_text(texts, display_path(suite.file), suite.file);
  add_text(texts, suite.file.filename().string(), suite.file);
  for (const Unit& unit : plan.units) {
    if (!unit.file.empty()) add_text(texts, unit.file, suite.folder / unit.file);
  }
  try {
    for (const SourceText& header : header_texts(plan, suite.folder)) {
      texts.push_back({header.name, display_path(header.file), count_lines(header.text)});
    }
  } catch (const Error&) {
    // The case says which header cannot be read.
  }
  return texts;
}

Coverage of_own_texts(const Coverage& coverage, const std::vector<OwnText>& texts) {
  Coverage own;
  own.left_out = coverage.left_out;
  own.without_lines = coverage.without_lines;
  for (const auto& [name, file] : coverage.files) {
    const OwnText* text = text_of(texts, name);
    Coverage part;
    Coverage::File& to = part.files[text != nullptr ? text->path : ""];
    for (const auto& [line, counts] : file.lines) {
      if (text != nullptr && line <= text->lines) {
        to.lines.emplace(line, counts);
      } else {
        part.left_out[name].insert(line);
      }
    }
    for (const auto& [function, counts] : file.functions) {
      if (text != nullptr && counts.line <= text->lines) to.functions.emplace(function, counts);
    }
    if (to.lines.empty()) part.files.clear();
    own.add(part);
  }
  return own;
}

double CoverageTotals::line_percent() const {
  return lines == 0 ? 100 : 100 * static_cast<double>(lines_hit) / static_cast<double>(lines);
}

CoverageTotals totals_of(const Coverage& coverage) {
  CoverageTotals totals;
  for (const auto& [path, file] : coverage.files) {
    for (const auto& [number, line] : file.lines) {
      ++totals.lines;
      totals.lines_hit += line.count > 0 ? 1 : 0;
      for (const auto& [to, count] : line.branches) {
        ++totals.sides;
        totals.sides_hit += count > 0 ? 1 : 0;
      }
    }
  }
  return totals;
}

std::vector<std::pair<int64_t, int64_t>> unreached(const Coverage::File& file) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  bool open = false;
  for (const auto& [number, line] : file.lines) {
    if (line.count > 0) {
      open = false;
    } else if (open) {
      ranges.back().second = number;
    } else {
      ranges.emplace_back(number, number);
      open = true;
    }
  }
  return ranges;
}

std::vector<UntakenSide> untaken(const Coverage::File& file) {
  std::vector<UntakenSide> sides;
  for (const auto& [number, line] : file.lines) {
    if (line.count == 0) continue;
    std::vector<int64_t> instead;
    for (const auto& [to, count] : line.branches) {
      if (count > 0) instead.push_back(to);
    }
    for (const auto& [to, count] : line.branches) {
      const auto target = file.lines.find(to);
      const bool told = target != file.lines.end() && target->second.count == 0;
      if (count == 0 && !told) sides.push_back({number, to, instead});
    }
  }
  return sides;
}

std::string unreached_text(const std::pair<int64_t, int64_t>& range) {
  if (range.first == range.second) return fmt::format("no case executes line {}", range.first);
  return fmt::format("no case executes lines {} to {}", range.first, range.second);
}

std::string untaken_text(const UntakenSide& side) {
  std::vector<std::string> instead;
  for (const int64_t to : side.instead) instead.push_back(line_text(to));
  return fmt::format("never goes on {}{}", line_text(side.to),
                     instead.empty() ? "" : ", always " + join(instead, " or "));
}

// The format is lcov's (geninfo(1)). Sides of branches are numbered in the order of their lines.
std::string lcov_text(const Coverage& coverage) {
  std::string text;
  for (const auto& [path, file] : coverage.files) {
    text += "TN:\nSF:" + path + "\n";
    uint64_t hit = 0;
    for (const auto& [name, function] : file.functions)
      text += fmt::format("FN:{},{}\n", function.line, name);
    for (const auto& [name, function] : file.functions) {
      text += fmt::format("FNDA:{},{}\n", function.count, name);
      hit += function.count > 0 ? 1 : 0;
    }
    text += fmt::format("FNF:{}\nFNH:{}\n", file.functions.size(), hit);
    for (const auto& [number, line] : file.lines) {
      size_t side = 0;
      for (const auto& [to, count] : line.branches) {
        text += fmt::format("BRDA:{},0,{},{}\n", number, side++,
                            line.count == 0 ? "-" : std::to_string(count));
      }
    }
    Coverage alone;
    alone.files.emplace(path, file);
    const CoverageTotals totals = totals_of(alone);
    text += fmt::format("BRF:{}\nBRH:{}\n", totals.sides, totals.sides_hit);
    for (const auto& [number, line] : file.lines)
      text += fmt::format("DA:{},{}\n", number, line.count);
    text += fmt::format("LF:{}\nLH:{}\nend_of_record\n", totals.lines, totals.lines_hit);
  }
  return text;
}

}  // namespace warpmark
