#include "cli/jobs/coverage_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "results/covered_files.hpp"

namespace warpmark {

namespace {

// A run shows the beginning; the tracefile has all.
constexpr size_t kMostRanges = 8, kMostFiles = 8, kMostSides = 8;

// Rounded down: 99.96 % is not 100.0 %.
std::string percent_text(double percent) {
  return fmt::format("{:.1f} %", std::floor(percent * 10) / 10);
}

std::string share_text(uint64_t hit, uint64_t all, const char* noun) {
  const std::string text = fmt::format("{} of {}", hit, counted(all, noun));
  if (all == 0) return text;
  return text + fmt::format(" ({})", percent_text(100 * static_cast<double>(hit) /
                                                  static_cast<double>(all)));
}

// "x.cu: no case executes 41 to 44, 60".
std::string file_text(const std::string& path, const Coverage::File& file) {
  const auto ranges = unreached(file);
  std::vector<std::string> texts;
  for (const auto& [first, last] : ranges) {
    if (texts.size() == kMostRanges) break;
    texts.push_back(first == last ? std::to_string(first) : fmt::format("{} to {}", first, last));
  }
  const size_t more = ranges.size() - texts.size();
  return fmt::format("  {}: no case executes {}{}", path, join(texts, ", "),
                     more > 0 ? fmt::format(" and {} more", counted(more, "range")) : "");
}

// Files without a line of a suite, by the last parts of their names.
std::string left_out_text(const Coverage& coverage) {
  size_t lines = 0;
  std::vector<std::string> names;
  for (const auto& [file, numbers] : coverage.left_out) {
    lines += numbers.size();
    if (names.size() < 3) names.push_back(file.substr(file.rfind('/') + 1));
  }
  if (coverage.left_out.size() > names.size()) names.emplace_back("…");
  return fmt::format("  left out: {} that no file of a suite has ({})", counted(lines, "line"),
                     join(names, ", "));
}

}  // namespace

void cover_by_environment(JobRequest& request) {
  const char* folder = std::getenv("WARPMARK_COVERAGE");
  if (folder == nullptr || *folder == '\0' || request.session.coverage) return;
  // The same command again replaces its file.
  const std::string command =
      join(own_arguments(), "\n") + "\n" + std::filesystem::current_path().string();
  request.coverage = std::filesystem::path(folder) / (sha256_hex(command).substr(0, 16) + ".info");
  request.session.coverage = true;
  request.share.clear();
}

CoverageReport::CoverageReport(std::filesystem::path file, std::optional<double> least)
    : file_(std::move(file)), least_(least) {
  if (!file_.empty()) require_writable(file_);
}

std::vector<std::string> CoverageReport::notes() {
  const CoverageTotals totals = totals_of(coverage_);
  std::vector<std::string> notes = {
      fmt::format("coverage: {}, {}{}", share_text(totals.lines_hit, totals.lines, "line"),
                  share_text(totals.sides_hit, totals.sides, "side") + " of branches",
                  file_.empty() ? "" : ", in " + display_path(file_))};
  size_t files = 0, sides = 0;
  for (const auto& [path, file] : coverage_.files) {
    if (unreached(file).empty()) continue;
    if (++files <= kMostFiles) notes.push_back(file_text(path, file));
  }
  if (files > kMostFiles)
    notes.push_back(fmt::format("  … and lines of {}", counted(files - kMostFiles, "more file")));
  for (const auto& [path, file] : coverage_.files) {
    for (const UntakenSide& side : untaken(file)) {
      if (++sides > kMostSides) continue;
      notes.push_back(fmt::format("  the branch at {}:{} {}", path, side.line, untaken_text(side)));
    }
  }
  if (sides > kMostSides)
    notes.push_back(fmt::format("  … and {}", counted(sides - kMostSides, "more side")));
  if (!coverage_.left_out.empty()) notes.push_back(left_out_text(coverage_));
  for (const std::string& kernel : coverage_.without_lines)
    notes.push_back(fmt::format("  `{}` has no line information, and is not counted", kernel));
  return notes;
}

std::string CoverageReport::why_failed() const {
  if (!least_) return "";
  const CoverageTotals totals = totals_of(coverage_);
  const std::string wanted = fmt::format("--coverage-min asks for {:g} %", *least_);
  if (totals.lines == 0) return "no line of device code was counted, and " + wanted;
  if (totals.line_percent() >= *least_) return "";
  return fmt::format("{} of the lines of device code are executed, and {}",
                     percent_text(totals.line_percent()), wanted);
}

void CoverageReport::finish(const RunEnd&) {
  if (!file_.empty()) write_file_atomically(file_, lcov_text(coverage_));
}

}  // namespace warpmark
