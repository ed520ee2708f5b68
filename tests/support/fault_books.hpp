// Books on what a program does with a library's handles: what is alive, whose, and mistakes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "support/fault_plan.hpp"

namespace warpmark::faults {

/// Every mistake goes to the plan's log at once ("misuse …"), and at the end of the process what is
/// still alive ("leak memory of 400 bytes"), then "end".
class Books {
 public:
  explicit Books(FaultPlan& plan) : plan_(plan) {}
  ~Books();
  Books(const Books&) = delete;
  Books& operator=(const Books&) = delete;

  /// `owner` is the context or module that it lives in, 0 if none; `bytes` is of memory only.
  void created(const std::string& kind, uint64_t handle, uint64_t owner, uint64_t bytes = 0);
  /// Also for a release that failed: nobody can try it again.
  void released(const std::string& call, const std::string& kind, uint64_t handle);
  /// A call that takes the handle while `context` is current.
  void used(const std::string& call, const std::string& kind, uint64_t handle, uint64_t context);
  void misuse(const std::string& text);

 private:
  struct Object {
    uint64_t owner = 0;
    uint64_t bytes = 0;
    std::thread::id thread;
  };
  using Key = std::pair<std::string, uint64_t>;
  const Object* find(const std::string& kind, uint64_t handle) const;

  FaultPlan& plan_;
  std::mutex mutex_;
  std::map<Key, Object> alive_;
};

}  // namespace warpmark::faults
