// Confined compile workers as forks of one process whose compiler is warm: a start takes
// milliseconds, and the compiler is opened and its headers are read once.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/session.hpp"
#include "runtime/worker.hpp"

namespace warpmark {

class CompileForks {
 public:
  /// Makes this process a subreaper (prctl(2)), which forks come back to. False if it cannot be.
  static bool adopt();

  /// Starts the process, and waits for nothing; `options` are those of the sessions, with a
  /// confinement. To be called after adopt(). Throws an environment error.
  explicit CompileForks(const SessionOptions& options);

  /// A new worker, which has seen nothing and will greet as if it had got the Hello; null if none
  /// can be forked here, where workers are to be started by themselves.
  std::unique_ptr<Worker> fork();

 private:
  void start();
  bool is_ready();

  std::string program_;
  nlohmann::json hello_;
  double timeout_s_;
  std::unique_ptr<Worker> server_;  ///< null: none can be had
  bool ready_ = false;
  int lost_ = 0;  ///< servers that something else ended, one after another
};

}  // namespace warpmark
