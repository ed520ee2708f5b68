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
  /// device ("sm_90a").
  CompileAhead(const SessionOptions& options, std::string target);
  /// Ends the processes.
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  /// Adds the units of a case, unless there is nothing to compile or they are known already. To be
  /// called before start().
  void add(const Suite& suite, const PlannedCase& planned);
  /// Starts processes, `most` at most and no more than there are units to compile. What fails there
  /// is left to the session, which reports it.
  void start(size_t most);

  /// To be called before the session compiles the units of a case: waits while a process compiles
  /// them, as long as `goes_on` is true, and takes them off the list if none has begun.
  void settle(const Suite& suite, const PlannedCase& planned, const std::function<bool()>& goes_on);

 private:
  std::string request_of(const Suite& suite, const PlannedCase& planned) const;
  void serve(WorkerLink& worker);

  SessionOptions options_;
  std::string target_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  ///< requests that no process has begun, as JSON texts
  std::set<std::string> known_, busy_;
  std::vector<std::unique_ptr<WorkerLink>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace warpmark
