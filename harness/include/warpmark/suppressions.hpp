// Suppressions: reports of a device that people have looked at and accept, one in each line of a file.
//
//   # The flag only ever goes from 0 to 1.
//   race kernel=set_flag* file=flags.cu # every thread writes the same value
//   order-by-barrier # our own barrier, see docs
//
// KIND is a report's `kind` or `name` (warpmark/device.h). `kernel` and `file` are patterns in which
// `*` stands for any characters; a pattern of a file without `/` fits its last part. The reason after
// `#` is required. The CPU device reads such files for other programs, Warpmark for cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct Suppression {
  std::string kind, kernel, file;  ///< `kernel` and `file`: "" fits all
  std::string reason;
  std::size_t line = 0;  ///< in its file, from 1
};

/// The parts of a report that suppressions look at.
struct ReportedMistake {
  std::string kind, name, kernel, argument;
  std::vector<std::string> files;  ///< of its place, of the calls that it was inlined through, and
                                   ///< of the other access
};

/// From a report as JSON (an nlohmann::json of any kind).
template <typename Json>
ReportedMistake reported_mistake(const Json& report) {
  const auto text = [](const Json& json, const char* key) {
    const auto found = json.find(key);
    const bool has = found != json.end() && found->is_string();
    return has ? found->template get<std::string>() : std::string();
  };
  ReportedMistake mistake;
  if (!report.is_object()) return mistake;
  mistake.kind = text(report, "kind");
  mistake.name = text(report, "name");
  mistake.kernel = text(report, "kernel");
  mistake.argument = text(report, "argument");
  const auto add_places = [&](const Json& place) {
    if (!place.is_object()) return;
    if (std::string file = text(place, "file"); !file.empty()) mistake.files.push_back(file);
    const auto calls = place.find("inlined_at");
    if (calls == place.end() || !calls->is_array()) return;
    for (const Json& call : *calls) {
      if (call.is_object()) mistake.files.push_back(text(call, "file"));
    }
  };
  add_places(report);
  if (const auto other = report.find("other"); other != report.end()) add_places(*other);
  return mistake;
}

/// True if the whole text fits a pattern in which `*` stands for any characters.
inline bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, star = std::string_view::npos, from = 0, i = 0;
  while (at < text.size()) {
    if (i < pattern.size() && pattern[i] == '*') {
      star = i++;
      from = at;
    } else if (i < pattern.size() && pattern[i] == text[at]) {
      ++i;
      ++at;
    } else if (star != std::string_view::npos) {
      i = star + 1;
      at = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', i) == std::string_view::npos;
}

inline bool suppresses(const Suppression& rule, const ReportedMistake& mistake) {
  if (rule.kind != mistake.kind && rule.kind != mistake.name) return false;
  if (!rule.kernel.empty() && !fits_pattern(rule.kernel, mistake.kernel)) return false;
  if (rule.file.empty()) return true;
  const bool whole = rule.file.find('/') != std::string::npos;
  return std::ranges::any_of(mistake.files, [&](const std::string& file) {
    return fits_pattern(rule.file, whole ? file : file.substr(file.rfind('/') + 1));
  });
}

/// The first rule that fits; null if none does.
inline const Suppression* find_suppression(const std::vector<Suppression>& rules,
                                           const ReportedMistake& mistake) {
  const auto found = std::ranges::find_if(
      rules, [&](const Suppression& rule) { return suppresses(rule, mistake); });
  return found == rules.end() ? nullptr : &*found;
}

/// The line for this mistake, whose reason is still to be written.
inline std::string suppression_line(const ReportedMistake& mistake) {
  std::string line = mistake.name.empty() ? mistake.kind : mistake.name;
  if (!mistake.kernel.empty()) line += " kernel=" + mistake.kernel;
  if (!mistake.files.empty()) {
    const std::string& file = mistake.files.front();
    line += " file=" + file.substr(file.rfind('/') + 1);
  }
  return line + " # TODO: why is this right?";
}

/// A line that is no suppression.
struct BadSuppression {
  std::size_t line = 0;
  std::string what;
};

/// Reads a file's text. Lines that are no suppressions go to `bad`.
inline std::vector<Suppression> read_suppressions(std::string_view text,
                                                  std::vector<BadSuppression>& bad) {
  const auto trimmed = [](std::string_view part) {
    const std::size_t begin = part.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return std::string_view();
    return part.substr(begin, part.find_last_not_of(" \t\r") - begin + 1);
  };
  std::vector<Suppression> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Suppression rule;
    rule.line = number;
    const std::size_t mark = line.find(" #");
    if (mark != std::string_view::npos) rule.reason = trimmed(line.substr(mark + 2));
    std::string what;
    for (std::string_view rest = trimmed(line.substr(0, mark)); !rest.empty();) {
      const std::size_t blank = std::min(rest.find_first_of(" \t"), rest.size());
      const std::string word(rest.substr(0, blank));
      rest = trimmed(rest.substr(blank));
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
      if (rule.kind.empty() && equals == std::string::npos) {
        rule.kind = word;
      } else if ((key == "kernel" || key == "file") && !value.empty()) {
        (key == "kernel" ? rule.kernel : rule.file) = value;
      } else {
        what = "`" + word + "` is neither kernel=PATTERN nor file=PATTERN";
      }
    }
    if (what.empty() && rule.kind.empty()) what = "the kind of report is missing, as in `race`";
    if (what.empty() && rule.reason.empty()) what = "the reason is missing: `# WHY` at the end";
    if (what.empty() && rule.reason.substr(0, 4) == "TODO") what = "the reason is not yet written";
    if (what.empty()) {
      rules.push_back(rule);
    } else {
      bad.push_back({number, what});
    }
  }
  return rules;
}

}  // namespace warpmark
