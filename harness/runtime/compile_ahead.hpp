// Compiles the units of later cases while earlier ones run, in processes of its own: NVRTC compiles one
// program at a time in a process. The results reach the session through the cache of compiled kernels.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/session.hpp"
#include "runtime/worker_link.hpp"

namespace warpmark {

class CompileAhead {
 public:
  /// `options` are those of the session that runs the cases, `target` is the architecture of its
  /// device ("sm_90a"); `most` processes compile at once.
  CompileAhead(const SessionOptions& options, std::string target, size_t most);
  /// Ends the processes.
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  /// Adds the units of a case, unless there is nothing to compile or they are known already, and
  /// starts a process for them if one may be. What fails there is left to the session, which reports
  /// it.
  void add(const Suite& suite, const PlannedCase& planned);
  /// Nothing will be added any more: processes end as soon as nothing is left to compile.
  void finish();

  /// To be called before the session compiles the units of a case: waits while a process compiles
  /// them, as long as `goes_on` is true, and takes them off the list if none has begun.
  void settle(const Suite& suite, const PlannedCase& planned, const std::function<bool()>& goes_on);

 private:
  std::string request_of(const Suite& suite, const PlannedCase& planned) const;
  void serve(WorkerLink& worker);

  SessionOptions options_;
  std::string target_;
  size_t most_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::deque<std::string> waiting_;  ///< requests that no process has begun, as JSON texts
  std::set<std::string> known_, busy_;
  std::vector<std::unique_ptr<WorkerLink>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace warpmark
