// Grades one submission after another: compiles, runs each item in several trials, gives words.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment.hpp"
#include "grade/own_kernel.hpp"
#include "grade/seeds.hpp"
#include "grade/submission.hpp"
#include "results/grade_result.hpp"
#include "runtime/session.hpp"

namespace warpmark {

struct GraderOptions {
  std::string device = "auto";    ///< as choose_device takes it
  bool no_sandbox = false;        ///< goes on where neither Landlock nor seccomp holds
  std::optional<Secret> secret;   ///< without one seeds are public, as a student has them
  std::optional<uint64_t> seed;   ///< the one trial of each item, in the place of the assignment's
  bool hidden = true;             ///< grade hidden cases, too
  std::vector<std::string> only;  ///< ids of items, or names of cases; empty for all
  std::string assignment_word;    ///< how commands that repeat a failure call the assignment
  std::vector<std::string> file_words;  ///< and what was submitted; none for the files' names
};

/// A session of its own for each submission; nothing of one reaches the next.
class SubmissionGrader {
 public:
  /// Makes all plans. Throws usage errors for what cannot be planned or graded, and for `only` that
  /// no case has.
  SubmissionGrader(Interpreter& python, std::shared_ptr<const Assignment> assignment,
                   GraderOptions options);
  ~SubmissionGrader();
  SubmissionGrader(const SubmissionGrader&) = delete;
  SubmissionGrader& operator=(const SubmissionGrader&) = delete;

  /// Starts the device, and compiles the suites' own kernels where they decide types. Called by the
  /// first grade() at the latest. Throws environment errors for what this machine lacks, and usage
  /// errors for a suite whose own kernel or inputs fail.
  const DeviceFacts& prepare();

  /// The same submission and secret give the same result, but for date and seconds. What goes wrong
  /// in the grader is the result's state grader_error and no exception. `key` is left empty.
  GradeResult grade(const Submission& submission);

  /// Ends a grade() that runs, with a grader error, and every later one at once. Safe in a signal
  /// handler.
  void interrupt() noexcept;
  bool interrupted() const noexcept { return interrupted_; }

 private:
  struct Item;
  class Run;

  SessionOptions own_options() const;
  SessionOptions submission_options() const;
  void drop_unwanted_cases();
  void find_what_may_be_shown();
  void start_session();
  void end_session();

  Interpreter& python_;
  std::shared_ptr<const Assignment> assignment_;
  GraderOptions options_;
  OwnKernel own_;
  Confinement confinement_;
  std::shared_ptr<HeaderStore> headers_ = std::make_shared<HeaderStore>();
  std::vector<std::vector<Item>> items_;  ///< by case, then by item
  std::unique_ptr<Session> session_;      ///< of the next submission, or of the one that is graded
  std::atomic<Session*> live_ = nullptr;  ///< what a signal may interrupt
  std::atomic<bool> interrupted_ = false;
  DeviceFacts facts_;
  bool prepared_ = false;
};

}  // namespace warpmark
