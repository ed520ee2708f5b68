#include "runtime/judge.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "runtime/counters.hpp"
#include "runtime/expectation.hpp"

namespace warpmark {

namespace {

std::string text_of(const nlohmann::ordered_json& report, const char* key) {
  const auto found = report.find(key);
  return found != report.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

// CUresult by the kinds that suites expect, for devices that give no reports.
std::string kind_of_result(int result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "illegal_address";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "misaligned_address";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "limit";
    case CUDA_ERROR_ASSERT:
      return "assert";
    case CUDA_ERROR_INVALID_PC:
      return "invalid_pc";
    case CUDA_ERROR_LAUNCH_FAILED:
      return "trap";
    default:
      return "";
  }
}

std::string findings_text(const protocol::Failure& failure) {
  std::vector<std::string> lines;
  for (const auto& report : failure.reports) {
    const std::string message = text_of(report, "message");
    if (!message.empty()) lines.push_back(message);
  }
  return join(lines, "\n");
}

// The line that a report, or a frame of what it was inlined through, names, as the report names it.
Position line_of(const nlohmann::ordered_json& frame) {
  if (!frame.is_object()) return {};
  const std::string file = text_of(frame, "file");
  const auto line = frame.find("line");
  if (file.empty() || line == frame.end() || !line->is_number_unsigned()) return {};
  return {file, line->get<int>(), 0};
}

// Whether a person can open the file that a report names: headers of the toolkit have no folder.
bool is_suites_own(const PlannedCase& planned, const std::string& file) {
  // A text that stands for a file is a stranger's, who may write `#line`: no other name is looked
  // for, as whether there is such a file is not for them to know.
  const std::vector<Unit>& units = planned.plan.units;
  const auto handed_in = [](const Unit& unit) {
    return !unit.file.empty() && !unit.source.empty();
  };
  const auto submitted = std::find_if(units.begin(), units.end(), handed_in);
  if (submitted != units.end()) return submitted->file == file;
  const std::filesystem::path suite = planned.positions.find("").file;
  std::error_code ignored;
  return std::filesystem::path(file).is_relative() &&
         std::filesystem::is_regular_file(suite.parent_path() / file, ignored);
}

// The line that a device's report names, below the suite's folder. Of code that was inlined from a
// header of the toolkit it is the innermost line of the suite's own that called it.
Position fault_place(const PlannedCase& planned, const protocol::Failure& failure) {
  if (failure.where.known()) return failure.where;
  for (const auto& report : failure.reports) {
    Position place = line_of(report);
    if (!place.known()) continue;
    if (!is_suites_own(planned, place.file)) {
      const auto calls = report.find("inlined_at");
      if (calls != report.end() && calls->is_array()) {
        for (const auto& call : *calls) {
          const Position caller = line_of(call);
          if (!caller.known() || !is_suites_own(planned, caller.file)) continue;
          place = caller;
          break;
        }
      }
    }
    const std::filesystem::path suite = planned.positions.find("").file;
    place.file = (suite.parent_path() / place.file).string();
    return place;
  }
  return {};
}

std::string fault_name(const Fault& fault) {
  return fault.argument.empty() ? fault.kind : fault.kind + " at `" + fault.argument + "`";
}

bool is_finding(const nlohmann::ordered_json& report, const Fault& expected) {
  return text_of(report, "kind") == expected.kind &&
         (expected.argument.empty() || text_of(report, "argument") == expected.argument);
}

// "a[3]", "a[0, 2]"; a single value is "a".
std::string element_name(const std::string& name, const Shape& shape, size_t index) {
  if (shape.empty()) return name;
  return fmt::format("{}[{}]", name, fmt::join(subscripts(index, shape), ", "));
}

// Four digits tell a person enough of a float; integers stay whole.
std::string short_number(const std::string& text) {
  if (text.find_first_of(".e") == std::string::npos) return text;
  return fmt::format("{:.4g}", std::strtod(text.c_str(), nullptr));
}

// " (off by 0.5, allowed 0.25)"; "" where there is no distance, as from a NaN.
std::string distance_text(const Mismatch& mismatch) {
  if (mismatch.error.empty()) return "";
  std::string error = short_number(mismatch.error);
  if (mismatch.bound.empty() || mismatch.bound == "0") {
    return fmt::format(" (off by {}, must be equal)", error);
  }
  std::string bound = short_number(mismatch.bound);
  if (error == bound) {  // what is only just too much shows in all digits
    error = mismatch.error;
    bound = mismatch.bound;
  }
  return fmt::format(" (off by {}, allowed {})", error, bound);
}

std::string describe(const OutputVerdict& output) {
  const Comparison& result = output.comparison;
  const Mismatch& first = *result.first;
  const std::string where = element_name(output.output, output.shape, first.index);
  if (first.kind == MismatchKind::unwritten && result.unwritten == result.wrong) {
    return fmt::format("{} of {} elements of `{}` were never written; the first is {}, expected {}",
                       result.unwritten, result.elements, output.output, where, first.expected);
  }
  std::string text = fmt::format(
      "{} of {} elements of `{}` {} wrong; the first is {} = {}, expected {}", result.wrong,
      result.elements, output.output, result.wrong == 1 ? "is" : "are", where,
      first.kind == MismatchKind::unwritten ? "never written" : first.actual, first.expected);
  text += distance_text(first);
  if (result.unwritten > 0) text += fmt::format("\n{} were never written", result.unwritten);
  if (result.worst && result.worst->index != first.index) {
    text += fmt::format("\nthe worst is {} = {}, expected {}{}",
                        element_name(output.output, output.shape, result.worst->index),
                        result.worst->actual, result.worst->expected, distance_text(*result.worst));
  }
  return text;
}

// A changed input is the kernel's doing, so it is told before anything that it may have spoilt.
bool inputs_unchanged(const PlannedCase& planned, const CaseInputs& inputs,
                      const std::map<std::string, Array>& results, Outcome& outcome) {
  for (const Buffer& buffer : planned.plan.buffers) {
    if (buffer.direction != ArgumentKind::in) continue;
    const Array& before = inputs.arrays.at(buffer.name);
    const Array& after = results.at(buffer.name);
    if (before.nbytes() == 0 ||
        std::memcmp(before.bytes().data(), after.bytes().data(), before.nbytes()) == 0) {
      continue;
    }
    const auto differs =
        std::mismatch(before.bytes().begin(), before.bytes().end(), after.bytes().begin());
    const auto index =
        static_cast<size_t>(differs.first - before.bytes().begin()) / before.dtype().bytes;
    const TypedBytes old_bytes{before.dtype(), before.bytes()};
    const TypedBytes new_bytes{after.dtype(), after.bytes()};
    fail(outcome, FailureKind::input_changed,
         verdict_error(fmt::format("the kernel changed its input `{}`: {} was {} and is {}",
                                   buffer.name, element_name(buffer.name, before.shape(), index),
                                   element_text(old_bytes, index), element_text(new_bytes, index)),
                       planned.positions.find(buffer.at),
                       "an array that a kernel may write is an `inout`"));
    return false;
  }
  return true;
}

}  // namespace

void fail(Outcome& outcome, FailureKind kind, const Error& error) {
  outcome.verdict = Verdict::failed;
  outcome.failure = kind;
  outcome.reason = split(error.message(), '\n').front();
  outcome.message = error.what();
  outcome.where = error.where();
  outcome.error = error;
}

void skip(Outcome& outcome, const std::string& reason, const Position& where) {
  outcome.verdict = Verdict::skipped;
  outcome.reason = reason;
  outcome.where = where;
}

void judge_refusal(const PlannedCase& planned, const Error& refusal, Outcome& outcome) {
  const std::string& wanted = planned.plan.compile_error->text;
  const std::string& message = refusal.message();
  const size_t log = message.find('\n');
  if (wanted.empty() ||
      (log != std::string::npos && message.find(wanted, log + 1) != std::string::npos)) {
    return;
  }
  fail(outcome, FailureKind::no_fault,
       verdict_error(fmt::format("expected a compile error with `{}`, and there is another\n{}",
                                 printable(wanted), message),
                     planned.positions.find("/expect")));
}

void judge_missing_refusal(const PlannedCase& planned, Outcome& outcome) {
  fail(outcome, FailureKind::no_fault,
       verdict_error("expected a compile error, and the kernel compiles",
                     planned.positions.find("/expect")));
}

bool judge_findings(const PlannedCase& planned, Outcome& outcome) {
  const Fault& expected = *planned.plan.report;
  size_t fitting = 0;
  std::vector<std::string> others;
  for (const auto& report : outcome.findings) {
    if (is_finding(report, expected)) {
      ++fitting;
      continue;
    }
    const std::string message = text_of(report, "message");
    others.push_back(message.empty() ? text_of(report, "kind") : message);
  }
  if (fitting > 0 && others.empty()) return true;
  const std::string what =
      others.empty()
          ? fmt::format("expected the report {}, and the device gave none", fault_name(expected))
          : fmt::format("expected the report {}{}, and there is another\n{}", fault_name(expected),
                        fitting > 0 ? " only" : "", join(others, "\n"));
  fail(outcome, FailureKind::no_fault, verdict_error(what, planned.positions.find("/expect")));
  return false;
}

namespace {

// A counter by its name, or what is made of two.
int64_t counted(const CounterSums& sums, const std::string& name) {
  constexpr std::string_view kConflicts = "_conflicts";
  if (!name.ends_with(kConflicts)) return counter_value(sums, name);
  const std::string kind = name.substr(0, name.size() - kConflicts.size());
  return counter_value(sums, kind + "_wavefronts") -
         counter_value(sums, kind + "_ideal_wavefronts");
}

template <typename T>
bool holds(T left, const std::string& comparison, T bound) {
  if (comparison == "<=") return left <= bound;
  if (comparison == ">=") return left >= bound;
  if (comparison == "<") return left < bound;
  if (comparison == ">") return left > bound;
  return (left == bound) == (comparison == "==");
}

// What is counted, and what it is held against: whole numbers, if both are.
struct Counted {
  double share = 0;
  int64_t number = 0;
  bool whole = true;

  std::string text() const { return whole ? std::to_string(number) : fmt::format("{:g}", share); }
  bool keeps(const CounterBound& expected) const {
    const auto* bound = std::get_if<int64_t>(&*expected.bound);
    if (whole && bound != nullptr) return holds(number, expected.comparison, *bound);
    const double left = whole ? static_cast<double>(number) : share;
    return holds(
        left, expected.comparison,
        bound != nullptr ? static_cast<double>(*bound) : std::get<double>(*expected.bound));
  }
};

}  // namespace

void judge_counters(const PlannedCase& planned, const std::vector<nlohmann::ordered_json>& launches,
                    Outcome& outcome) {
  const CounterSums sums = sum_counters(launches);
  std::vector<std::string> broken;
  std::string first;
  std::map<std::string, int> seen;  // bounds of each counter
  for (const CounterBound& expected : planned.plan.counters) {
    const int earlier = seen[expected.counter]++;
    Counted value;
    if (expected.counter == "occupancy") {
      value = {least_occupancy(launches), 0, false};
    } else {
      value.number = counted(sums, expected.counter);
    }
    if (value.keeps(expected)) continue;
    const auto* whole = std::get_if<int64_t>(&*expected.bound);
    const std::string bound = whole != nullptr
                                  ? std::to_string(*whole)
                                  : fmt::format("{}", std::get<double>(*expected.bound));
    broken.push_back(fmt::format("the counter {} is {}, and must be {} {}", expected.counter,
                                 value.text(), expected.comparison, bound));
    if (!first.empty()) continue;
    first = "/expect/counters/" + expected.counter;
    if (earlier > 0) first += fmt::format("/{}", earlier);  // as make_plan names them
  }
  if (broken.empty()) return;
  fail(outcome, FailureKind::counter,
       verdict_error(join(broken, "\n"), planned.positions.find(first)));
}

bool judge_clean(const PlannedCase& planned, Outcome& outcome) {
  protocol::Failure mistakes;
  for (const auto& report : outcome.findings) {
    const std::string severity = text_of(report, "severity");
    if (severity == "error") mistakes.reports.push_back(report);
    if (severity == "warning") outcome.notices.push_back(printable(text_of(report, "message")));
  }
  if (mistakes.reports.empty()) return true;
  fail(outcome, FailureKind::finding,
       verdict_error(findings_text(mistakes), fault_place(planned, mistakes)));
  return false;
}

void judge_fault(const PlannedCase& planned, const protocol::Failure& failure, Outcome& outcome) {
  outcome.findings = failure.reports;
  const std::string kind = kind_of_result(failure.result);
  const std::string findings = findings_text(failure);
  const std::string what = findings.empty() ? failure.message : findings;
  if (planned.plan.report) {
    // Without reports the launch failed for another reason than a finding.
    if (failure.reports.empty()) {
      fail(outcome, FailureKind::driver, verdict_error(what, fault_place(planned, failure)));
    } else if (judge_findings(planned, outcome) && !planned.plan.expected.empty()) {
      fail(outcome, FailureKind::fault,
           verdict_error(
               "the finding ended the launch, so that there is no output to compare\n" + what,
               planned.positions.find("/reference"), "remove `reference`, or expect the fault"));
    }
    return;
  }
  const auto& expected = planned.plan.fault;
  if (!expected) {
    const bool by_kernel = failure.result != 0 && failure.launched;
    const FailureKind failed = !by_kernel        ? FailureKind::driver
                               : kind == "limit" ? FailureKind::limit
                               : failure.sticky  ? FailureKind::fault
                                                 : FailureKind::driver;
    fail(outcome, failed, verdict_error(what, fault_place(planned, failure), failure.hint));
    return;
  }
  for (const auto& report : failure.reports) {
    if (is_finding(report, *expected)) return;
  }
  if (failure.launched && failure.reports.empty() && kind == expected->kind &&
      expected->argument.empty()) {
    return;
  }
  fail(outcome, FailureKind::no_fault,
       verdict_error(fmt::format("expected the fault {}, and another happened\n{}",
                                 fault_name(*expected), what),
                     planned.positions.find("/expect")));
}

void judge_missing_fault(const PlannedCase& planned, Outcome& outcome) {
  fail(outcome, FailureKind::no_fault,
       verdict_error(fmt::format("expected the fault {}, and the kernel ran without one",
                                 fault_name(*planned.plan.fault)),
                     planned.positions.find("/expect")));
}

bool judge_results(Interpreter& python, const PlannedCase& planned, const CaseInputs& inputs,
                   const std::map<std::string, Array>& results, std::byte poison,
                   Outcome& outcome) {
  outcome.outputs.clear();
  if (!inputs_unchanged(planned, inputs, results, outcome)) return true;
  const PythonScope scope = reference_scope(planned.plan, inputs);
  bool doubtful = false;
  std::vector<std::string> texts;
  Position where;
  FailureKind failure = FailureKind::none;
  for (const Expected& expected : planned.plan.expected) {
    const Array& result = results.at(expected.output);
    const Buffer& buffer = *planned.plan.find_buffer(expected.output);
    const Expectation wanted =
        evaluate_expectation(python, planned, scope, expected, result.dtype(), result.shape());
    OutputVerdict verdict;
    verdict.output = expected.output;
    verdict.dtype = std::string(result.dtype().name);
    verdict.shape = result.shape();
    const auto poisoned =
        buffer.direction == ArgumentKind::out ? std::optional(poison) : std::nullopt;
    verdict.comparison =
        compare({result.dtype(), result.bytes()}, {wanted.reference.dtype, wanted.reference.bytes},
                wanted.rule(), poisoned);
    doubtful = doubtful || verdict.comparison.doubtful > 0;
    if (!verdict.comparison.passed()) {
      texts.push_back(describe(verdict));
      if (!where.known()) where = planned.positions.find(expected.value.at);
      const bool all_unwritten = verdict.comparison.unwritten == verdict.comparison.wrong;
      if (failure == FailureKind::none) {
        failure = all_unwritten ? FailureKind::unwritten : FailureKind::wrong;
      } else if (!all_unwritten) {
        failure = FailureKind::wrong;
      }
    }
    outcome.outputs.push_back(std::move(verdict));
  }
  if (failure != FailureKind::none) {
    fail(outcome, failure, verdict_error(join(texts, "\n"), where));
    return true;
  }
  return !doubtful;
}

}  // namespace warpmark
