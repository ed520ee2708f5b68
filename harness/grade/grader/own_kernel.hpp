// The suite's own kernel beside a submission's: it says the types, and whether a failure is shared.
#pragma once

#include <memory>

#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/session.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// Runs the course's own source, which is trusted, in a session of its own. None goes on while a
/// submission runs: on a GPU no right answer may lie about.
class OwnKernel {
 public:
  /// `options` without confinement.
  OwnKernel(Interpreter& python, SessionOptions options)
      : python_(python), options_(std::move(options)) {}

  /// The types of the arguments. Empty if the device has not what the case needs. Throws a usage
  /// error if the kernel does not compile or fit, or an input raises.
  ArgumentTypes types(const Case& which, const PlannedCase& planned);

  /// Compiles a case's kernels for compiled().
  void compile(const Case& which, const PlannedCase& planned);
  /// The kernels compiled so far, which a submission's session need not compile.
  const CompiledRequests& compiled();

  Outcome verify(const Case& which, const PlannedCase& planned, Trial trial);

  /// Thread-instructions of the case, with one fixed seed. 0 if the kernel is not right, as a template
  /// is not, or the device does not count.
  uint64_t instructions(const Case& which, const PlannedCase& planned);

  /// Ends all sessions on a device that another session cannot have meanwhile.
  void leave_device();
  /// Ends all sessions; the next call starts another.
  void close();

 private:
  Session& session();

  Interpreter& python_;
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> counting_;  ///< one that has devices count
};

}  // namespace warpmark
