#include "grade/feedback/item_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"

namespace warpmark {

namespace {

std::string kind_of(const nlohmann::ordered_json& report) {
  if (!report.is_object()) return "";
  const auto kind = report.find("kind");
  return kind != report.end() && kind->is_string() ? kind->get<std::string>() : "";
}

// True if the device's sentence has these words.
bool says(const nlohmann::ordered_json& report, std::string_view words) {
  const auto message = report.find("message");
  return message != report.end() && message->is_string() &&
         message->get<std::string>().find(words) != std::string::npos;
}

// True if a kernel was ended because it wrote to an array that it may only read.
bool is_written_input(const nlohmann::ordered_json& report) {
  if (kind_of(report) != "illegal_address") return false;
  const auto allocation = report.find("allocation");
  if (allocation == report.end()) return false;
  const auto has = [&](const char* name, const nlohmann::ordered_json& value) {
    const auto found = allocation->find(name);
    return found != allocation->end() && *found == value;
  };
  return has("read_only", true) && has("side", "inside");
}

ItemVerdict judge_fault(const Outcome& outcome, GradeWord otherwise) {
  for (const auto& report : weighed_reports(outcome)) {
    const std::string kind = kind_of(report);
    // A feature that this device lacks is no mistake of a kernel that another device runs.
    if (kind == "unsupported_instruction") return {GradeWord::not_launched, Blame::grader};
    if (kind == "barrier") return {GradeWord::barrier, Blame::submission};
#define CHECK(name, found, word, places) \
  if (kind == #found) return {GradeWord::word, Blame::submission};
#include "warpmark/checks.def"
    if (kind == "limit") return {GradeWord::limit, Blame::submission};
    if (kind == "incomplete") return {GradeWord::race, Blame::submission};
    // The kernel ended itself, because it found something wrong.
    if (kind == "assert" || kind == "trap") return {GradeWord::wrong, Blame::submission};
    if (!kind.empty()) break;
  }
  return {otherwise, Blame::submission};
}

// The rank of a report among those of a launch: causes come before what follows from them. An
// address that nothing has set may lead anywhere; threads that a warp's operation waits for come to
// no barrier either; and without its barrier an element may be read before anything is there.
int cause_rank(const nlohmann::ordered_json& report) {
  const std::string kind = kind_of(report);
  if (kind == "uninitialised") return says(report, "as an address") ? 0 : 5;
  if (kind == "sync" || kind == "barrier")
    return says(report, "lanes") ? 1 : kind == "sync" ? 3 : 2;
  if (kind == "race") return 4;
  return 2;  // it has ended the launch
}

// "0.5", "nan", "": parses a text that comes from our own comparison.
std::optional<double> number_of_text(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const double value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<nlohmann::ordered_json> weighed_reports(const Outcome& outcome) {
  std::vector<nlohmann::ordered_json> reports = outcome.findings;
  std::erase_if(reports, [](const auto& report) {
    if (!report.is_object()) return false;
    const auto severity = report.find("severity");
    return severity != report.end() && *severity == "warning";
  });
  std::ranges::stable_sort(reports, {}, cause_rank);
  return reports;
}

void fail_unchecked(Outcome& outcome) {
  if (outcome.verdict != Verdict::passed) return;
  for (nlohmann::ordered_json& report : outcome.findings) {
    if (kind_of(report) != "incomplete" || !says(report, "race: ")) continue;
    report["severity"] = "error";
    outcome.verdict = Verdict::failed;
    outcome.failure = FailureKind::finding;
    outcome.reason = outcome.message = report["message"].get<std::string>();
    outcome.error = verdict_error(outcome.message);
  }
}

std::vector<std::string> warnings_of(const Outcome& outcome) {
  std::vector<std::string> all;
  for (const nlohmann::ordered_json& report : outcome.findings) {
    if (!report.is_object() || report.value("severity", "") != "warning") continue;
    const std::string kind = kind_of(report);
    if (kind.empty() || kind == "incomplete") continue;
    const auto line = report.find("line");
    std::string text = printable(report.value("name", kind));
    if (line != report.end() && line->is_number_integer())
      text += fmt::format(" at line {}", line->get<int64_t>());
    if (std::ranges::count(all, text) == 0) all.push_back(std::move(text));
  }
  return all;
}

ItemVerdict judge_item(const Outcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::passed:
      return {GradeWord::pass, Blame::nobody};
    case Verdict::skipped:
      return {GradeWord::not_launched, Blame::doubtful};
    case Verdict::interrupted:
    case Verdict::not_run:
      return {GradeWord::not_launched, Blame::grader};
    case Verdict::failed:
      break;
  }
  switch (outcome.failure) {
    case FailureKind::compile:
    case FailureKind::signature:
      return {GradeWord::not_launched, Blame::submission};
    case FailureKind::fault:
    case FailureKind::finding:
      return judge_fault(outcome, GradeWord::memory_error);
    case FailureKind::limit:
      // Threads that wait for each other end in the driver's error for a launch that takes too
      // long.
      return judge_fault(outcome, GradeWord::limit);
    case FailureKind::crash:
      return {GradeWord::memory_error, Blame::doubtful};
    case FailureKind::no_fault:
    case FailureKind::wrong:
    case FailureKind::unwritten:
    case FailureKind::input_changed:
    case FailureKind::counter:
      return {GradeWord::wrong, Blame::submission};
    // A function of the assignment may raise for a reason of its own.
    case FailureKind::check:
      return {GradeWord::wrong, Blame::doubtful};
    case FailureKind::driver:
    // The launch is refused for the suite's block, or for the bounds and registers of the
    // submission.
    case FailureKind::launch:
      return {GradeWord::not_launched, Blame::doubtful};
    case FailureKind::none:
    case FailureKind::load:
    case FailureKind::input:
    case FailureKind::reference:
    case FailureKind::impossible:  // only of a bench
    case FailureKind::slower:      // only of a bench
    case FailureKind::replayed:    // the item stays open, and staff decide
      break;
  }
  return {GradeWord::not_launched, Blame::grader};
}

namespace {

std::optional<FailedBy> failed_by_device(const Outcome& outcome) {
  for (const auto& report : weighed_reports(outcome)) {
    const std::string kind = kind_of(report);
    if (kind.empty()) continue;
    if (kind == "trap") return FailedBy::trap;
    if (kind == "assert") return FailedBy::assertion;
    if (kind == "limit" && report.contains(kTimesOwn)) return FailedBy::own_kernel;
    if (is_written_input(report)) return FailedBy::written_input;
    break;
  }
  return std::nullopt;
}

// True if all outputs that differ were written in part.
bool has_narrow_stores(const Outcome& outcome) {
  bool any = false;
  for (const OutputVerdict& output : outcome.outputs) {
    const Comparison& found = output.comparison;
    if (found.passed()) continue;
    any = true;
    if (found.narrow + found.in_part < found.wrong) return false;
  }
  return any;
}

// True if every wrong element is near the expected one: off by a hundredth at most, or by so many
// bounds as 16 bits of a float are off where 24 are asked for.
bool is_near(const Outcome& outcome) {
  constexpr double kMostRelative = 0.01, kMostBounds = 1 << 13;
  bool any = false;
  for (const OutputVerdict& output : outcome.outputs) {
    const Comparison& found = output.comparison;
    if (found.passed()) continue;
    const bool whole = output.dtype.find("int") != std::string::npos;
    if (whole || found.by_value != found.wrong || !found.worst) return false;
    const auto error = number_of_text(found.worst->error);
    const double bound = number_of_text(found.worst->bound).value_or(0);
    const double expected = std::abs(number_of_text(found.worst->expected).value_or(0));
    if (!error || (*error > kMostRelative * expected && *error > kMostBounds * bound)) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::optional<FailedBy> failed_by(const Outcome& outcome) {
  switch (outcome.failure) {
    case FailureKind::fault:
    case FailureKind::finding:
    case FailureKind::limit:
      return failed_by_device(outcome);
    case FailureKind::input_changed:
      return FailedBy::written_input;
    case FailureKind::check:
      return FailedBy::check;
    case FailureKind::counter:
      return FailedBy::count;
    case FailureKind::wrong:
      if (has_narrow_stores(outcome)) return FailedBy::narrow_stores;
      return is_near(outcome) ? std::optional(FailedBy::nearly) : std::nullopt;
    case FailureKind::unwritten:
      return has_narrow_stores(outcome) ? FailedBy::narrow_stores : FailedBy::unwritten;
    default:
      return std::nullopt;
  }
}

bool ended_by_instructions(const Outcome& outcome) {
  return std::ranges::any_of(outcome.findings, [](const auto& report) {
    return kind_of(report) == "limit" && says(report, "its budget is");
  });
}

void note_own_limit(Outcome& outcome, uint64_t times) {
  for (nlohmann::ordered_json& report : outcome.findings) {
    if (kind_of(report) == "limit") report[kTimesOwn] = times;
  }
}

bool fails_alike(const Outcome& own, const Outcome& submitted) {
  if (own.verdict == Verdict::passed) return false;
  if (own.verdict != Verdict::failed) return true;
  // A template without a body computes nothing, and is launched all the same.
  return own.failure == submitted.failure || own.failure == FailureKind::crash ||
         own.failure == FailureKind::driver || own.failure == FailureKind::input;
}

ErrorAndBound worst_error(const Outcome& outcome) {
  ErrorAndBound worst;
  double worst_ratio = -1;
  for (const OutputVerdict& output : outcome.outputs) {
    if (!output.comparison.worst) continue;
    const auto error = number_of_text(output.comparison.worst->error);
    const auto bound = number_of_text(output.comparison.worst->bound);
    if (!error) continue;
    const double ratio = *error / bound.value_or(0);  // infinite for a bound of 0, which is right
    if (ratio <= worst_ratio) continue;
    worst_ratio = ratio;
    worst = {error, bound};
  }
  return worst;
}

}  // namespace warpmark
