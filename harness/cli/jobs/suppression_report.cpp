#include "cli/jobs/suppression_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "suite/race_exception.hpp"
#include "suite/suite.hpp"

namespace warpmark {

namespace {

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_finding(const std::string& kind) {
  return is_one_of(finding_kinds(), kind);
}

}  // namespace

std::vector<Suppression> load_suppressions(const std::filesystem::path& file) {
  std::vector<BadSuppression> bad;
  std::vector<Suppression> rules = read_suppressions(read_file(file), bad);
  const auto at = [&](size_t line) {
    return Position{display_path(file), static_cast<int>(line), 0};
  };
  if (!bad.empty()) {
    throw usage_error(bad.front().what, at(bad.front().line),
                      "a suppression is `KIND kernel=PATTERN file=PATTERN # REASON`");
  }
  for (const Suppression& rule : rules) {
    if (is_finding(rule.kind) || is_one_of(race_warnings(), rule.kind)) continue;
    std::vector<std::string> known = finding_kinds();
    known.insert(known.end(), race_warnings().begin(), race_warnings().end());
    const bool ends = is_one_of(fault_kinds(), rule.kind);
    throw usage_error(
        ends ? fmt::format("`{}` ends a launch, and leaves no result that could be judged",
                           rule.kind)
             : fmt::format("no check finds `{}`", printable(rule.kind)),
        at(rule.line), "checks find " + join(known, ", "));
  }
  return rules;
}

SuppressionReport::SuppressionReport(std::vector<Suppression> rules, std::filesystem::path file,
                                     std::filesystem::path generated)
    : rules_(std::move(rules)), file_(std::move(file)), generated_(std::move(generated)) {
  if (!generated_.empty()) require_writable(generated_);
}

void SuppressionReport::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  accepted_ += outcome.suppressed.size();
  used_.insert(outcome.suppressed.begin(), outcome.suppressed.end());
  for (const nlohmann::ordered_json& finding : outcome.findings) {
    const ReportedMistake mistake = reported_mistake(finding);
    if (!is_finding(mistake.kind)) continue;
    std::string line = suppression_line(mistake);
    if (std::ranges::find(lines_, line) == lines_.end()) lines_.push_back(std::move(line));
  }
}

std::vector<std::string> SuppressionReport::notes() {
  std::vector<std::string> notes;
  if (accepted_ > 0) {
    notes.push_back(fmt::format("{} suppressed by {}", counted(accepted_, "finding"),
                                printable(display_path(file_))));
  }
  for (const Suppression& rule : rules_) {
    if (used_.contains(rule.line)) continue;
    notes.push_back(fmt::format("{}:{}: the suppression of `{}` matched nothing in this run",
                                printable(display_path(file_)), rule.line, rule.kind));
  }
  if (!generated_.empty()) {
    notes.push_back(fmt::format("{} written to {}", counted(lines_.size(), "suppression"),
                                printable(display_path(generated_))));
  }
  return notes;
}

void SuppressionReport::finish(const RunEnd&) {
  if (!generated_.empty())
    write_file_atomically(generated_, join(lines_, "\n") + (lines_.empty() ? "" : "\n"));
}

}  // namespace warpmark
