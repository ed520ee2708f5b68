// Derives a verdict from a launch's results: faults, changed inputs, wrong elements.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "runtime/inputs.hpp"
#include "runtime/outcome.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The byte that fills outputs before a launch, and its complement for a second launch: values that
/// a kernel stores do not follow it, so that bytes which equal the one and then the other were not
/// written.
inline constexpr std::byte kFirstPoison{0xCB};
inline constexpr std::byte kSecondPoison{0x34};

/// Fails the outcome: the error's first line is the reason, its whole text the message.
void fail(Outcome& outcome, FailureKind kind, const Error& error);

/// Skips the case of an outcome, for a line of the suite if one is known.
void skip(Outcome& outcome, const std::string& reason, const Position& where = {});

/// Judges a run that the device ended with `failure`, against the fault or the report that the plan
/// expects, if any: it must have come, and no other error with it. A device that does not report
/// the array of a fault skips a case that names one. The outcome's findings are the failure's
/// reports; warnings become notices.
void judge_fault(const PlannedCase& planned, const protocol::Failure& failure, Outcome& outcome);

/// Turns the failure of a run whose worker was ended for taking too long into a pass, if the plan
/// expects just that.
void judge_silence(const PlannedCase& planned, Outcome& outcome);

/// Fails a run that ended well although the plan expects a fault.
void judge_missing_fault(const PlannedCase& planned, Outcome& outcome);

/// Judges a compiler's refusal, against the compile error that the plan expects: its text must be
/// in the compiler's error message, not in the source that this quotes.
void judge_refusal(const PlannedCase& planned, const Error& refusal, Outcome& outcome);

/// Fails a case that compiled although the plan expects a compile error.
void judge_missing_refusal(const PlannedCase& planned, Outcome& outcome);

/// Fails the outcome of a case that expects no report if the device found a mistake (warnings do
/// not count, and become notices). Returns false if it did.
bool judge_clean(const PlannedCase& planned, Outcome& outcome);

/// Judges the outcome's findings against the reports that the plan expects: there is one of each
/// kind, and no other error. Warnings do not count, and become notices. Returns false, with the
/// outcome failed, if not.
bool judge_findings(const PlannedCase& planned, Outcome& outcome);

/// Judges the counts of a resolved plan's launches against its bounds; fails the outcome at the
/// first broken bound, with a line for each.
void judge_counters(const PlannedCase& planned, const std::vector<nlohmann::ordered_json>& launches,
                    Outcome& outcome);

/// The outputs after an earlier launch, by name, and the byte that filled them before it.
struct EarlierResults {
  std::byte poison{};
  std::map<std::string, std::vector<std::byte>> outputs;
};

/// Judges the kernel's output: `results` has every buffer's bytes after the launch, `poison` the
/// byte that filled outputs before. Returns false, with no verdict, if elements equal the poison
/// and are right, or near enough, so that only a run with another poison, which gets these results
/// as `earlier`, can tell whether they were written.
bool judge_results(Interpreter& python, const PlannedCase& planned, const CaseInputs& inputs,
                   const std::map<std::string, Array>& results, std::byte poison,
                   const EarlierResults& earlier, Outcome& outcome);

}  // namespace warpmark
