// Processes that grade one submission after another, so that a crash costs one submission only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "python/interpreter.hpp"
#include "results/grade_result.hpp"
#include "runtime/session.hpp"
#include "worker/channel.hpp"

namespace warpmark {

/// The settings that every process of a run grades by.
struct GradeSetup {
  std::filesystem::path assignment;
  std::string assignment_sha256;  ///< the file must still be the same
  std::string assignment_word;    ///< name of the assignment in commands that repeat a failure
  std::string device = "auto";
  std::vector<std::string> devices = {};  ///< devices that processes get in turn; empty: `device`
                                          ///< for all
  std::string secret;  ///< sent over the connection alone, never by arguments or environment
  bool no_sandbox = false;
};

/// The end of a process, or of a request to it.
struct GradeProcessEnd {
  std::string how;  ///< "ended by signal 11 (Segmentation fault)"; "did not answer"
  bool timed_out = false;
};
using GradeAnswer = std::variant<DeviceFacts, GradeResult, Error, GradeProcessEnd>;

/// Runs our own executable, as `PROGRAM grade-worker`, with the connection as descriptor 3, in a
/// new process group, and with no other descriptor open: output of kernels goes nowhere.
class GradeProcess {
 public:
  /// Starts a process and sends the setup; the answer is DeviceFacts, or an Error. Throws an
  /// environment error.
  explicit GradeProcess(const GradeSetup& setup);
  GradeProcess(const GradeProcess&) = delete;
  GradeProcess& operator=(const GradeProcess&) = delete;
  /// Ends the process.
  ~GradeProcess();

  /// Sends a submission; the answer will be a GradeResult.
  void grade(const Submission& submission);

  /// To be called once fd() is readable. Anything but facts and a result ends the process.
  GradeAnswer receive();
  int fd() const { return channel_->fd(); }

  /// Ends the process at once, and returns how it ended.
  std::string kill();

 private:
  std::optional<Channel> channel_;
  pid_t process_ = -1;
};

/// The loop of such a process: until the connection ends. Returns its exit code.
/// `python` starts the interpreter; `load` loads an assignment.
int run_grade_worker(
    int socket, const std::function<Interpreter&()>& python,
    const std::function<std::shared_ptr<const Assignment>(const std::filesystem::path&)>& load);

}  // namespace warpmark
