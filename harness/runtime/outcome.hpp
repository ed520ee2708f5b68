// The outcome of one case.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/words.hpp"
#include "runtime/comparison.hpp"
#include "runtime/error_profile.hpp"
#include "worker/counters.hpp"
#include "worker/coverage.hpp"

namespace warpmark {

enum class Verdict : uint8_t {
  passed,
  failed,
  skipped,      ///< with both numbers or the missing capability as the reason; never a pass
  interrupted,  ///< not run, or not finished, because of an interrupt
  not_run       ///< left out after the allowed number of failures
};
constexpr auto words(Verdict) {
  return words_are("passed", "failed", "skipped", "interrupted", "not_run");
}
/// The verdict for people: "not run".
std::string in_words(Verdict verdict);

/// The reason for a failure, for records and filters; `message` has the text.
enum class FailureKind : uint8_t {
  none,
  compile,        ///< the source does not compile, or has no such kernel
  signature,      ///< arguments that do not fit the kernel's parameters
  input,          ///< an input expression that raises or does not fit its dtype
  fault,          ///< the kernel faulted: illegal address, misaligned address, trap, barrier …
  limit,          ///< instruction budget, wall clock
  crash,          ///< the worker died
  no_fault,       ///< the fault that the suite expects did not happen, or another did
  reference,      ///< a reference or tolerance that raises or does not fit the output
  wrong,          ///< wrong elements
  check,          ///< a check of outputs that does not hold
  unwritten,      ///< elements that were never written
  input_changed,  ///< an `in` argument that the kernel wrote to
  driver,         ///< any other failure of the driver
  finding,        ///< a race, an undefined value, a barrier that some threads do not reach
  counter,        ///< a counter beyond the bound that the suite gives
  load,           ///< a suite that cannot be loaded, or a case of it that cannot be planned
  launch,         ///< a launch that no CUDA device can do
  impossible,     ///< a time that the device cannot reach
  replayed,       ///< a time of runs that reuse earlier results
  slower          ///< more of the baseline's time than `bench.against_baseline` allows
};
constexpr auto words(FailureKind) {
  return words_are("none", "compile", "signature", "input", "fault", "limit", "crash", "no_fault",
                   "reference", "wrong", "check", "unwritten", "input_changed", "driver", "finding",
                   "counter", "load", "launch", "impossible", "replayed", "slower");
}

/// The subscripts of the element at `index` in C order. An index into a shape without elements is
/// returned as it is; a single value has none.
std::vector<size_t> subscripts(size_t index, const std::vector<int64_t>& shape);

struct OutputVerdict {
  std::string output;
  std::string dtype;
  std::vector<int64_t> shape;
  Comparison comparison;
  bool has_tolerance = false;  ///< the suite gives a tolerance, whether or not it applies to the
                               ///< dtype
  std::string tolerance = {};  ///< of from_float64: Expectation::reason
  bool has_reference = true;   ///< false if only checks concern it
  /// For an output that is wrong by values alone: the tolerance that would let it pass
  /// (sufficient_tolerance), and the distribution of its errors. They are for the suite's author:
  /// texts for students must not contain them.
  std::string sufficient = {};
  ErrorHistogram histogram = {};
};

/// The closeness of a kernel with right results to the composite that it misses by most: its
/// measure over the threshold, or the inverse, from 0 to 1.
struct Nearness {
  double share = 0;
  std::string composite;  ///< "coalesced"
};

/// The counters of a case and its baseline with the same inputs.
struct CountedRuns {
  CounterSums own, baseline;
};

struct Outcome {
  std::string suite;
  std::string case_id;
  Verdict verdict = Verdict::passed;
  FailureKind failure = FailureKind::none;
  std::string reason;          ///< one line with the reason of a failure or skip; "" for a pass
  std::string message;         ///< for people, several lines: place, first wrong element, findings
  Position where;              ///< place in the suite, if a line there is to blame
  std::optional<Error> error;  ///< the failure itself, the source of `message` and `where`
  std::vector<OutputVerdict> outputs;
  std::vector<nlohmann::ordered_json> findings;  ///< the device's reports (warpmark/device.h)
  std::vector<size_t> suppressed;  ///< lines of the suppressions that accepted findings
  std::string step;  ///< the step of the first finding, if there are several steps; "" for none
  /// The counters of each launch, as the device gave them (warpmark/device.h), if they were asked
  /// for.
  std::vector<nlohmann::ordered_json> counters;
  /// The coverage of its launches, in all schedules and up to a failure, if that was asked for. Files
  /// are named as line information does, until a front gives them their paths.
  Coverage coverage;
  std::vector<std::string> notices;  ///< compiler warnings, a damaged cache: reported, not judged
  bool compiled_from_cache = false;
  double seconds = 0;                  ///< wall clock of the whole case, all trials
  std::optional<uint64_t> schedule;    ///< schedule of the failure, if not the usual one
  std::optional<uint64_t> trial;       ///< the trial that decided, if trials were asked for
  std::optional<Nearness> nearness;    ///< set if composites alone fail the case
  std::optional<CountedRuns> counted;  ///< set for a pass, if the plan compares counters
};

/// The outcome of a case that cannot run: its suite, or its plan, could not be made because of
/// `error`.
Outcome load_failure(const Error& error);

}  // namespace warpmark
