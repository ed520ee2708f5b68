// Which call of a faulty library fails, and the record of all calls: shared by its processes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmark::faults {

/// A fault of one call.
struct Fault {
  std::optional<int> result;     ///< returned instead of the call's own
  bool silent = false;           ///< success is returned, and nothing is done
  bool sticky = false;           ///< `result` is returned from then on, by the caller's rules
  std::optional<int64_t> value;  ///< put into the first number that the call gives out
};

/// Faults as a text of the environment: "call=17,result=700,sticky" or
/// "name=cuMemAlloc_v2,occurrence=2,result=2"; several are separated by ";". `call` and
/// `occurrence` (1 unless given, 0: each) count from 1 over all processes that share the log.
/// What happens: `result=N`, `silent`, `value=N`, `delay_ms=N` (the call waits first),
/// `signal=N` (the process gets it).
class FaultPlan {
 public:
  /// Reads `variable`, and the log's path from `variable`_LOG; without one, only this process
  /// counts.
  explicit FaultPlan(const std::string& variable);

  /// Counts and records a call; waits if it is to be slow.
  Fault next(const char* symbol);
  /// A line of its own in the log: "PID text".
  void note(const std::string& text);

 private:
  struct Rule {
    uint64_t call = 0;  ///< 0: by name
    std::string name;
    uint64_t occurrence = 1;
    int64_t delay_ms = 0;
    int signal = 0;
    Fault fault;
  };
  // In memory that all processes of a run map, so that a worker that is replaced counts on.
  struct Counters {
    std::atomic<uint64_t> calls{0};
    std::array<std::atomic<uint64_t>, 8> occurrences{};  ///< of each rule's name
  };
  static Rule parse(const std::string& text);

  std::vector<Rule> rules_;
  int log_ = -1;
  Counters own_;
  Counters* counters_ = &own_;
};

/// Ends the process: a test that asks for what there is not must not pass.
[[noreturn]] void give_up(const std::string& why);

}  // namespace warpmark::faults
