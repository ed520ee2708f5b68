// A process that grades one submission after another, so that a crash costs one submission only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "python/interpreter.hpp"
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
  bool notes_warnings = false;         ///< GraderOptions::notes_warnings
  std::vector<std::string> only = {};  ///< GraderOptions::only
};

/// Starts our own executable, as `PROGRAM grade-worker`, with `theirs` as descriptor 3, in a new
/// process group, and with no other descriptor open, so that output of kernels goes nowhere; and
/// sends it the setup. Throws an environment error.
pid_t start_grade_worker(const GradeSetup& setup, Channel& ours, const Channel& theirs);

/// The request to grade a submission.
nlohmann::json to_message(const Submission& submission, bool more);

/// Such a process, as of a ProcessPool, until the connection ends: the answer to a submission is its
/// result (grade_result_from_json). Returns its exit code.
/// `python` starts the interpreter; `load` loads an assignment.
int run_grade_worker(
    int socket, const std::function<Interpreter&()>& python,
    const std::function<std::shared_ptr<const Assignment>(const std::filesystem::path&)>& load);

}  // namespace warpmark
