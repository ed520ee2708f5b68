// What came of one case.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "runtime/comparison.hpp"
#include "runtime/error_profile.hpp"
#include "worker/counters.hpp"

namespace warpmark {

enum class Verdict : uint8_t {
  passed,
  failed,
  skipped,      ///< with both numbers or the missing capability as the reason; never a pass
  interrupted,  ///< not run, or not finished, because of an interrupt
  not_run       ///< left out after as many failures as were allowed
};
std::string_view to_text(Verdict verdict);
/// The same for people: "not run".
std::string in_words(Verdict verdict);

/// Why a case failed, for records and filters; `message` has the words.
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
  finding,        ///< a race, an undefined value, a barrier that not everybody reaches
  counter,        ///< a counter beyond the bound that the suite gives
  load,           ///< a suite that cannot be loaded, or a case of it that cannot be planned
  launch,         ///< a launch that no CUDA device can do
  impossible,     ///< a time that the device cannot reach
  replayed,       ///< a time of runs that answer from an earlier run
  slower          ///< more of the baseline's time than `bench.against_baseline` allows
};
std::string_view to_text(FailureKind kind);

/// The subscripts of the element at `index` in C order. An index into a shape without elements is
/// its own; a single value has none.
std::vector<size_t> subscripts(size_t index, const std::vector<int64_t>& shape);

struct OutputVerdict {
  std::string output;
  std::string dtype;
  std::vector<int64_t> shape;
  Comparison comparison;
  bool has_tolerance = false;  ///< the suite gives one, whether or not it holds for the dtype
  bool has_reference = true;   ///< else checks alone are about it
  /// Of an output that is wrong by values alone: the tolerance that would let it pass
  /// (sufficient_tolerance), and how far it is off. They are for the suite's author: nothing that is
  /// told to students may have them.
  std::string sufficient = {};
  ErrorHistogram histogram = {};
};

/// How near a kernel with right results comes to the composite that it misses by most: its measure
/// over the threshold, or the other way round, from 0 to 1.
struct Nearness {
  double share = 0;
  std::string composite;  ///< "coalesced"
};

/// What a case and its baseline counted with the same inputs.
struct CountedRuns {
  CounterSums own, baseline;
};

struct Outcome {
  std::string suite;
  std::string case_id;
  Verdict verdict = Verdict::passed;
  FailureKind failure = FailureKind::none;
  std::string reason;          ///< one line: why it failed or was skipped; "" for a pass
  std::string message;         ///< for people, several lines: place, first wrong element, findings
  Position where;              ///< in the suite, if a line there is to blame
  std::optional<Error> error;  ///< the failure itself, which `message` and `where` are taken from
  std::vector<OutputVerdict> outputs;
  std::vector<nlohmann::ordered_json> findings;  ///< the device's reports (warpmark/device.h)
  std::string step;  ///< of several, the one that the first of them is about; "" for none
  /// What each launch counted, as the device gave it (warpmark/device.h), if it was asked for.
  std::vector<nlohmann::ordered_json> counters;
  std::vector<std::string> notices;  ///< compiler warnings, a damaged cache: reported, not judged
  bool compiled_from_cache = false;
  double seconds = 0;                  ///< wall clock of the whole case, all trials
  std::optional<uint64_t> schedule;    ///< that it failed in, if not the usual one
  std::optional<uint64_t> trial;       ///< the one that decided, where it was asked for trials
  std::optional<Nearness> nearness;    ///< where composites alone fail it
  std::optional<CountedRuns> counted;  ///< of a pass, if the plan compares counters
};

/// Of a case that cannot run: its suite, or its plan, could not be made for `error`.
Outcome load_failure(const Error& error);

}  // namespace warpmark
