#include "runtime/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <variant>

#include "base/file.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "compiler/refusal.hpp"
#include "driver/table.hpp"
#include "runtime/expectation.hpp"
#include "runtime/findings_text.hpp"
#include "runtime/output_checks.hpp"
#include "runtime/output_text.hpp"
#include "worker/counters.hpp"

namespace warpmark {

namespace {

// The kind of fault, in a suite's terms, of a CUresult, for devices that give no reports.
std::string kind_of_result(int result) {
  static const std::map<int, std::string> kKinds = {
      {CUDA_ERROR_ILLEGAL_ADDRESS, "illegal_address"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned_address"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "limit"},
      {CUDA_ERROR_ASSERT, "assert"},
      {CUDA_ERROR_INVALID_PC, "invalid_pc"},
      {CUDA_ERROR_LAUNCH_FAILED, "trap"}};
  const auto found = kKinds.find(result);
  return found == kKinds.end() ? "" : found->second;
}

std::string findings_text(const protocol::Failure& failure) {
  return warpmark::findings_text(failure.reports);
}

// The line that a report, or a frame that it was inlined through, names, with the report's name of
// the file.
Position line_of(const nlohmann::ordered_json& frame) {
  if (!frame.is_object()) return {};
  const std::string file = report_text(frame, "file");
  const auto line = frame.find("line");
  if (file.empty() || line == frame.end() || !line->is_number_unsigned()) return {};
  return {file, line->get<int>(), 0};
}

// True if a user can open the file that a report names: headers of the toolkit have no folder.
bool is_suites_own(const PlannedCase& planned, const std::string& file) {
  // A text that replaces a file comes from a stranger, who may write `#line`: no other name is
  // looked up, since the stranger must not learn whether there is such a file.
  const std::vector<Unit>& units = planned.plan.units;
  const auto handed_in = [](const Unit& unit) {
    return !unit.file.empty() && !unit.source.empty();
  };
  const auto submitted = std::ranges::find_if(units, handed_in);
  if (submitted != units.end()) return submitted->file == file;
  const std::filesystem::path suite = planned.positions.find("").file;
  std::error_code ignored;
  return std::filesystem::path(file).is_relative() &&
         std::filesystem::is_regular_file(suite.parent_path() / file, ignored);
}

// The line that a device's report names, below the suite's folder. For code inlined from a header
// of the toolkit it is the innermost line of the suite's own code that called it.
Position fault_place(const PlannedCase& planned, const protocol::Failure& failure) {
  if (failure.where.known()) return failure.where;
  for (const auto& report : failure.reports) {
    Position place = line_of(report);
    if (!place.known()) continue;
    if (!is_suites_own(planned, place.file)) {
      const auto calls = report.find("inlined_at");
      if (calls != report.end()) {
        for (const auto& call : *calls) {
          const Position caller = line_of(call);
          if (!caller.known() || !is_suites_own(planned, caller.file)) continue;
          place = caller;
          break;
        }
      }
    }
    const std::filesystem::path suite = planned.positions.find("").file;
    place.file = display_path(suite.parent_path() / place.file);
    return place;
  }
  return {};
}

std::string with_argument(const std::string& kinds, const std::string& argument) {
  return argument.empty() ? kinds : kinds + " at `" + argument + "`";
}

std::string fault_name(const Fault& fault) {
  return with_argument(fault.kind, fault.argument);
}

// "report race", "reports race and sync at `a`"
std::string reports_name(const Reports& reports) {
  return (reports.kinds.size() > 1 ? "reports " : "report ") +
         with_argument(join(reports.kinds, " and "), reports.argument);
}

// Converts a fault for a search among reports.
Reports as_reports(const Fault& fault) {
  return {{fault.kind}, fault.argument};
}

// A report without severity, such as a fault, is an error.
bool is_warning(const nlohmann::ordered_json& report) {
  return report_text(report, "severity") == "warning";
}

// A report is about the array that it accesses. One of a value that was never written is about the
// array where the value is missing, which need not be the one that it is stored to.
bool is_about(const nlohmann::ordered_json& report, const std::string& argument) {
  if (report_text(report, "kind") != "uninitialised")
    return report_text(report, "argument") == argument;
  const std::string origin = report_text(report, "origin");
  if (!origin.empty() && origin != "global") return false;  // shared memory has names, too
  const std::string source = report_text(report, "source");
  if (!source.empty()) return source == argument;
  return report_text(report, "hazard") != "stored" && report_text(report, "argument") == argument;
}

bool expects(const Reports& expected, const std::string& kind) {
  return std::ranges::find(expected.kinds, kind) != expected.kinds.end();
}

bool is_finding(const nlohmann::ordered_json& report, const Reports& expected) {
  return expects(expected, report_text(report, "kind")) &&
         (expected.argument.empty() || is_about(report, expected.argument));
}

// The report of where threads were when a limit ended them comes with the limit, and is no separate
// mistake.
bool goes_with(const nlohmann::ordered_json& report, const Reports& expected) {
  return expects(expected, "limit") && report_text(report, "kind") == "waiting";
}

// The errors among a run's reports, compared with the expected ones.
struct Met {
  std::vector<std::string> missing;  ///< kinds
  std::vector<std::string> others;   ///< texts of other errors

  bool whole() const { return missing.empty() && others.empty(); }
};

// Warnings fail no case, and meet no expectation: the reported behaviour may be intended.
Met meet(const std::vector<nlohmann::ordered_json>& reports, const Reports& expected) {
  Met met{expected.kinds, {}};
  for (const auto& report : reports) {
    if (is_warning(report) || goes_with(report, expected)) continue;
    if (is_finding(report, expected)) {
      std::erase(met.missing, report_text(report, "kind"));
      continue;
    }
    const std::string message = report_text(report, "message");
    met.others.push_back(message.empty() ? report_text(report, "kind") : message);
  }
  return met;
}

// True if reports of that kind come from launches that the device ended.
bool ends_launches(const Reports& expected) {
  return std::ranges::any_of(fault_kinds(),
                             [&](const std::string& kind) { return expects(expected, kind); });
}

void note_warnings(Outcome& outcome) {
  for (const auto& report : outcome.findings) {
    if (is_warning(report)) outcome.notices.push_back(report_text(report, "message"));
  }
}

void fail_expectation(const PlannedCase& planned, Outcome& outcome, const std::string& what) {
  fail(outcome, FailureKind::no_fault, verdict_error(what, planned.positions.find("/expect")));
}

// Reports a change of an input before anything that it may have spoilt.
bool inputs_unchanged(const PlannedCase& planned, const CaseInputs& inputs,
                      const std::map<std::string, Array>& results, Outcome& outcome) {
  for (const Buffer& buffer : planned.plan.buffers) {
    if (buffer.direction != ArgumentKind::in || !buffer.pointers.empty()) continue;
    const Array& before = inputs.arrays.at(buffer.name);
    const Array& after = results.at(buffer.name);
    if (same_bytes(before.bytes(), after.bytes())) continue;
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
  const size_t line = message.find('\n');
  const std::string log = line == std::string::npos ? "" : message.substr(line + 1);
  if (wanted.empty() || refusal_says(log, wanted)) return;
  fail_expectation(planned, outcome,
                   fmt::format("expected a compile error with `{}`, and there is another\n{}",
                               printable(wanted), message));
}

void judge_missing_refusal(const PlannedCase& planned, Outcome& outcome) {
  fail_expectation(planned, outcome, "expected a compile error, and the kernel compiles");
}

bool judge_findings(const PlannedCase& planned, Outcome& outcome) {
  const Reports& expected = *planned.plan.report;
  const Met met = meet(outcome.findings, expected);
  note_warnings(outcome);
  if (met.whole()) return true;
  std::string what = "expected the " + reports_name(expected);
  if (!met.others.empty()) {
    what += fmt::format("{}, and there is another\n{}", met.missing.empty() ? " only" : "",
                        join(met.others, "\n"));
  } else if (met.missing.size() == expected.kinds.size()) {
    what += ", and the device gave none";
  } else {
    what += ", and the device gave no " + join(met.missing, " and no ");
  }
  fail_expectation(planned, outcome, what);
  return false;
}

namespace {

template <typename T>
bool holds(T left, const std::string& comparison, T bound) {
  if (comparison == "<=") return left <= bound;
  if (comparison == ">=") return left >= bound;
  if (comparison == "<") return left < bound;
  if (comparison == ">") return left > bound;
  return (left == bound) == (comparison == "==");
}

// A count, or the bound that it is compared with.
using Number = std::variant<int64_t, double>;

Number number_of(const Amount& bound) {
  if (const auto* whole = std::get_if<int64_t>(&bound)) return *whole;
  return std::get<double>(bound);
}

double real(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

// Whole numbers are compared as such, if both are.
bool holds(const Number& left, const std::string& comparison, const Number& bound) {
  const auto* whole = std::get_if<int64_t>(&left);
  const auto* whole_bound = std::get_if<int64_t>(&bound);
  if (whole != nullptr && whole_bound != nullptr) return holds(*whole, comparison, *whole_bound);
  return holds(real(left), comparison, real(bound));
}

}  // namespace

void judge_counters(const PlannedCase& planned, const std::vector<nlohmann::ordered_json>& launches,
                    Outcome& outcome) {
  const CounterSums sums = sum_counters(launches);
  std::vector<std::string> broken;
  std::string first;
  std::map<std::string, int> seen;  // bounds of each counter
  for (const CounterBound& expected : planned.plan.counters) {
    const int earlier = seen[expected.counter]++;
    const Number value = expected.counter == "occupancy"
                             ? Number(least_occupancy(launches))
                             : Number(named_count(sums, expected.counter));
    const Number bound = number_of(*expected.bound);
    if (holds(value, expected.comparison, bound)) continue;
    const auto* share = std::get_if<double>(&value);
    const std::string found =
        share != nullptr ? fmt::format("{:g}", *share) : std::to_string(std::get<int64_t>(value));
    broken.push_back(std::visit(
        [&](auto allowed) {
          return fmt::format("the counter {} is {}, and must be {} {}", expected.counter, found,
                             expected.comparison, allowed);
        },
        bound));
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
    if (!is_warning(report)) mistakes.reports.push_back(report);
  }
  note_warnings(outcome);
  if (mistakes.reports.empty()) return true;
  fail(outcome, FailureKind::finding,
       verdict_error(findings_text(mistakes), fault_place(planned, mistakes)));
  return false;
}

namespace {

// Judges a launch that ended in a failure, although a report is expected.
void judge_ended_launch(const PlannedCase& planned, const protocol::Failure& failure,
                        const std::string& what, Outcome& outcome) {
  // Without reports the launch failed for another reason than a finding.
  if (failure.reports.empty()) {
    fail(outcome, FailureKind::driver, verdict_error(what, fault_place(planned, failure)));
    return;
  }
  if (!judge_findings(planned, outcome)) return;
  // Findings let a launch continue, so that something else ended it.
  if (!failure.launched || !ends_launches(*planned.plan.report)) {
    fail_expectation(planned, outcome,
                     fmt::format("expected the {} only, and the launch failed\n{}",
                                 reports_name(*planned.plan.report), failure.message));
  } else if (!planned.plan.expected.empty() || !planned.plan.checks.empty()) {
    fail(outcome, FailureKind::fault,
         verdict_error(
             "the finding ended the launch, so that there is no output to compare\n" + what,
             planned.positions.find(planned.plan.expected.empty() ? "/checks" : "/reference"),
             planned.plan.expected.empty() ? "remove `check`, or expect the fault"
                                           : "remove `reference`, or expect the fault"));
  }
}

// Judges a launch that ended in a failure, for a case that expects a fault.
void judge_expected_fault(const PlannedCase& planned, const protocol::Failure& failure,
                          const std::string& what, Outcome& outcome) {
  const Fault& expected = *planned.plan.fault;
  if (failure.launched && failure.reports.empty() &&
      kind_of_result(failure.result) == expected.kind) {
    if (expected.argument.empty()) return;
    skip(outcome, fmt::format("the fault is {}, and the device does not report at which array",
                              expected.kind));
    return;
  }
  const Met met = meet(failure.reports, as_reports(expected));
  note_warnings(outcome);
  if (failure.launched && met.whole()) return;
  if (!met.missing.empty()) {
    fail_expectation(
        planned, outcome,
        fmt::format("expected the fault {}, and another happened\n{}", fault_name(expected), what));
    return;
  }
  fail_expectation(
      planned, outcome,
      fmt::format("expected the fault {} only, and there is another\n{}", fault_name(expected),
                  met.others.empty() ? failure.message : join(met.others, "\n")));
}

}  // namespace

void judge_fault(const PlannedCase& planned, const protocol::Failure& failure, Outcome& outcome) {
  outcome.findings = failure.reports;
  const std::string findings = findings_text(failure);
  const std::string what = findings.empty() ? failure.message : findings;
  if (planned.plan.report) return judge_ended_launch(planned, failure, what, outcome);
  if (planned.plan.fault) return judge_expected_fault(planned, failure, what, outcome);
  const bool by_kernel = failure.result != 0 && failure.launched;
  const bool limit = kind_of_result(failure.result) == "limit";
  const FailureKind kind = !by_kernel       ? FailureKind::driver
                           : limit          ? FailureKind::limit
                           : failure.sticky ? FailureKind::fault
                                            : FailureKind::driver;
  std::string hint = failure.hint;
  if (hint.empty() && what.find("shared") != std::string::npos &&
      what.find("has 0 bytes") != std::string::npos) {
    hint = "`extern __shared__` memory has as many bytes as `launch.shared` says";
  }
  fail(outcome, kind, verdict_error(what, fault_place(planned, failure), hint));
}

void judge_silence(const PlannedCase& planned, Outcome& outcome) {
  const auto& expected = planned.plan.fault;
  if (!expected || expected->kind != "limit" || !expected->argument.empty()) return;
  if (outcome.verdict != Verdict::failed || outcome.failure != FailureKind::limit) return;
  outcome.verdict = Verdict::passed;
  outcome.failure = FailureKind::none;
  outcome.reason.clear();
  outcome.message.clear();
  outcome.where = {};
  outcome.error.reset();
}

void judge_missing_fault(const PlannedCase& planned, Outcome& outcome) {
  fail_expectation(planned, outcome,
                   fmt::format("expected the fault {}, and the kernel ran without one",
                               fault_name(*planned.plan.fault)));
}

namespace {

// Judges all outputs of a case.
class ResultsJudge {
 public:
  ResultsJudge(const PlannedCase& planned, std::byte poison, const EarlierResults& earlier,
               Outcome& outcome)
      : planned_(planned), poison_(poison), earlier_(earlier), outcome_(outcome) {}

  void compare_with(const Expected& expected, const Array& result, const PartExpectation& part) {
    const Expectation& wanted = part.expectation;
    OutputVerdict verdict = verdict_of(expected.output + part.leaf.path, result);
    verdict.dtype = std::string(part.leaf.dtype.name);
    verdict.shape = part.shape;
    verdict.has_tolerance = wanted.kind != ToleranceKind::exact;
    verdict.tolerance = wanted.reason;
    std::optional<std::byte> poisoned;
    EarlierLaunch before;
    std::vector<std::byte> own, others;
    if (is_poisoned(expected.output)) {
      poisoned = poison_;
      before = launch_before(expected.output);
      before.bytes = part_bytes(result.dtype(), before.bytes, part.leaf, others);
    }
    const TypedBytes actual{part.leaf.dtype,
                            part_bytes(result.dtype(), result.bytes(), part.leaf, own)};
    const TypedBytes reference{wanted.reference.dtype, wanted.reference.bytes};
    const ComparisonRule rule = wanted.rule();
    verdict.comparison = compare(actual, reference, rule, poisoned, before);
    const Comparison& found = verdict.comparison;
    if (!found.passed() && found.by_value == found.wrong) {
      verdict.sufficient = sufficient_tolerance(actual, reference, rule, found);
      verdict.histogram = error_histogram(actual, reference, rule);
    }
    add(std::move(verdict), planned_.positions.find(expected.value.at));
  }

  // Requires that all elements are written; any value is right.
  void require_written(const Buffer& output, const Array& result) {
    for (const Leaf& leaf : leaves_of(result.dtype())) {
      OutputVerdict verdict = verdict_of(output.name + leaf.path, result);
      verdict.dtype = std::string(leaf.dtype.name);
      verdict.shape.insert(verdict.shape.end(), leaf.shape.begin(), leaf.shape.end());
      verdict.has_reference = false;
      if (is_poisoned(output.name)) {
        std::vector<std::byte> own, others;
        EarlierLaunch before = launch_before(output.name);
        before.bytes = part_bytes(result.dtype(), before.bytes, leaf, others);
        const TypedBytes actual{leaf.dtype, part_bytes(result.dtype(), result.bytes(), leaf, own)};
        verdict.comparison = compare_written(actual, poison_, before);
      } else {
        verdict.comparison.elements = static_cast<size_t>(element_count(verdict.shape));
      }
      add(std::move(verdict), planned_.positions.find(output.at));
    }
  }

  bool doubtful() const { return doubtful_; }
  // Fails the outcome if an output is wrong.
  bool has_failed() {
    if (failure_ == FailureKind::none) return false;
    fail(outcome_, failure_, verdict_error(join(texts_, "\n"), where_));
    return true;
  }

 private:
  static OutputVerdict verdict_of(const std::string& output, const Array& result) {
    OutputVerdict verdict;
    verdict.output = output;
    verdict.dtype = std::string(result.dtype().name);
    verdict.shape = result.shape();
    return verdict;
  }

  // For an array that was swapped, the memory which it has at the end counts.
  bool is_poisoned(const std::string& output) const {
    return has_shape(planned_.plan.find_buffer(planned_.plan.holder(output))->direction);
  }

  EarlierLaunch launch_before(const std::string& output) const {
    const auto left = earlier_.outputs.find(output);
    if (left == earlier_.outputs.end()) return {};
    return {left->second, earlier_.poison};
  }

  void add(OutputVerdict verdict, const Position& where) {
    const Comparison& result = verdict.comparison;
    doubtful_ = doubtful_ || result.doubtful > 0;
    if (!result.passed()) {
      texts_.push_back(describe(verdict));
      if (!where_.known()) where_ = where;
      const bool all_unwritten = result.unwritten == result.wrong;
      if (!all_unwritten) {
        failure_ = FailureKind::wrong;
      } else if (failure_ == FailureKind::none) {
        failure_ = FailureKind::unwritten;
      }
    }
    outcome_.outputs.push_back(std::move(verdict));
  }

  const PlannedCase& planned_;
  std::byte poison_;
  const EarlierResults& earlier_;
  Outcome& outcome_;
  bool doubtful_ = false;
  std::vector<std::string> texts_;
  Position where_;
  FailureKind failure_ = FailureKind::none;
};

void judge_checks(Interpreter& python, const PlannedCase& planned, const CaseInputs& inputs,
                  const std::map<std::string, Array>& results, Outcome& outcome) {
  const std::vector<Error> failed = failed_checks(python, planned, inputs, results);
  if (failed.empty()) return;
  std::vector<std::string> texts;
  texts.reserve(failed.size());
  for (const Error& one : failed) texts.push_back(one.message());
  const Error& first = failed.front();
  fail(outcome, FailureKind::check, verdict_error(join(texts, "\n"), first.where(), first.hint()));
}

}  // namespace

bool judge_results(Interpreter& python, const PlannedCase& planned, const CaseInputs& inputs,
                   const std::map<std::string, Array>& results, std::byte poison,
                   const EarlierResults& earlier, Outcome& outcome) {
  outcome.outputs.clear();
  if (!inputs_unchanged(planned, inputs, results, outcome)) return true;
  require_checks(python, planned);
  const PythonScope scope = reference_scope(planned.plan, inputs);
  ResultsJudge judge(planned, poison, earlier, outcome);
  for (const Expected& expected : planned.plan.expected) {
    const Array& result = results.at(expected.output);
    for (const PartExpectation& part :
         evaluate_expectation(python, planned, scope, expected, result.dtype(), result.shape())) {
      judge.compare_with(expected, result, part);
    }
  }
  for (const Buffer* output : checked_outputs(planned.plan)) {
    judge.require_written(*output, results.at(output->name));
  }
  if (judge.has_failed()) return true;
  if (judge.doubtful()) return false;
  judge_checks(python, planned, inputs, results, outcome);
  return true;
}

}  // namespace warpmark
