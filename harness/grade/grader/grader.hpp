// Grades one submission after another: compiles, runs each item in several trials, gives words.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/grader/own_kernel.hpp"
#include "grade/grader/session_timer.hpp"
#include "grade/submission/submission.hpp"
#include "results/grade_result.hpp"
#include "runtime/composites.hpp"
#include "runtime/session.hpp"

namespace warpmark {

struct GraderOptions {
  std::string device = "auto";   ///< as choose_device takes it
  bool no_sandbox = false;       ///< goes on where neither Landlock nor seccomp holds
  std::optional<Secret> secret;  ///< without one seeds are public, as a student has them
  std::optional<uint64_t> seed;  ///< the one trial of each item, in the place of the assignment's
  /// There are many submissions: compile workers are forked where they can be, for which this
  /// process must be a subreaper (prctl(2)), and on a device that can be had several times at once
  /// the next submission's workers start while one is graded. For one, a server of forks costs more
  /// than the worker that it would fork.
  bool serves_many = false;
  bool hidden = true;                   ///< grade hidden cases, too
  std::vector<std::string> only;        ///< ids of items, or names of cases; empty for all
  std::string assignment_word;          ///< how commands that repeat a failure call the assignment
  std::vector<std::string> file_words;  ///< and what was submitted; none for the files' names
  bool notes_warnings = false;          ///< the device's warnings are among the flags of a result
  /// For lint: gets what each trial with right results reaches of composites.
  std::function<void(const Case&, const std::vector<MeasuredComposite>&)> on_composites = {};
  /// Times performance where the device is no GPU, too: for tests, which have none.
  bool times_anywhere = false;
};

/// A session of its own for each submission, whose workers have seen no other; nothing of one
/// reaches the next.
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
  /// Without `more`, nothing is made ready for another submission.
  GradeResult grade(const Submission& submission, bool more = true);

  /// Ends a grade() that runs, with a grader error, and every later one at once. Safe in a signal
  /// handler.
  void interrupt() noexcept;
  bool interrupted() const noexcept { return interrupted_; }

 private:
  struct Item;
  class Run;

  SessionOptions own_options() const;
  SessionOptions submission_options() const;
  /// For an item of a submission; sessions of their own, with that seed and another one.
  SessionRoundTimer round_timer(const Item& item, const PlannedCase& submitted, uint64_t seed);
  void find_what_may_be_shown();
  /// Compiles the kernels that counters are compared with, once and apart from all submissions. They
  /// are the course's own.
  void compile_baselines();
  void start_session();
  void start_next_session();
  void end_session();

  Interpreter& python_;
  std::shared_ptr<const Assignment> assignment_;
  GraderOptions options_;
  OwnKernel own_;
  Confinement confinement_;
  std::shared_ptr<CompileForks> compile_forks_;  ///< null where workers are started by themselves
  std::shared_ptr<CompiledRequests> baselines_;  ///< filled by compile_baselines()
  std::vector<std::vector<Item>> items_;         ///< by case, then by item
  std::unique_ptr<Session> session_;      ///< of the next submission, or of the one that is graded
  std::unique_ptr<Session> next_;         ///< of the submission behind that one; may be null
  std::atomic<Session*> live_ = nullptr;  ///< what a signal may interrupt
  std::atomic<bool> interrupted_ = false;
  DeviceFacts facts_;
  bool prepared_ = false;
};

}  // namespace warpmark
