#include "results/result_kind.hpp"

#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/text.hpp"
#include "results/baseline_text.hpp"

namespace warpmark {

std::optional<ResultKind> result_kind(const std::filesystem::path& file) {
  const std::string text = read_file(file, 1000);
  const std::string_view begin = trim(text);
  if (begin.starts_with("<?xml") || begin.starts_with("<testsuites")) return ResultKind::junit;
  if (begin.starts_with("{\"type\":\"baseline\"") || is_baseline_text(begin)) {
    return ResultKind::baseline;
  }
  if (begin.starts_with("{\"type\"")) return ResultKind::journal;
  if (begin.starts_with("{") && begin.find("\"context\"") != std::string_view::npos) {
    return ResultKind::google_benchmark;
  }
  const std::string_view line = begin.substr(0, begin.find('\n'));
  const bool is_report = line.starts_with("{\"launch\":") || line.starts_with("{\"kind\":");
  if (is_report) return ResultKind::device_reports;
  return std::nullopt;
}

}  // namespace warpmark
