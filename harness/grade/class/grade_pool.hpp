// Processes that grade submissions at the same time. One that is lost costs its submission a second
// try, and nobody else anything.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_process.hpp"
#include "grade/submission/submission.hpp"

namespace warpmark {

class GradePool {
 public:
  /// Is given each submission's result, grader errors included, by the number of add().
  using OnResult = std::function<void(size_t number, GradeResult result)>;

  GradePool(const Assignment& assignment, GradeSetup setup, OnResult on_result)
      : assignment_(assignment), setup_(std::move(setup)), on_result_(std::move(on_result)) {}

  /// Starts the first process, and returns once it has the device; false if `wake_fd` (-1: none)
  /// became readable before. Throws usage errors (the suite's own kernel fails) and environment
  /// errors (no device).
  bool start_first(int wake_fd);
  const DeviceFacts& device() const { return device_; }

  /// How many processes serve so many submissions: a device whose results depend on nothing but
  /// their input can be had several times at once. `wanted` 0: one for each processor.
  size_t job_count(size_t wanted, size_t submissions) const;
  /// Starts processes until there are so many.
  void grow(size_t count);

  /// To be graded: read, and not refused.
  void add(size_t number, Submission submission);
  /// Added ones without a result.
  size_t unfinished() const { return submissions_.size(); }

  /// Gives work to processes, and waits for an answer, or until one of `others` has events; both
  /// for a second at most.
  void step(std::span<pollfd> others);

  /// Ends all processes at once. What they grade has no result.
  void kill();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Job {
    size_t place = 0;  ///< among the jobs, which says the device
    std::unique_ptr<GradeProcess> process;
    std::optional<size_t> number;  ///< of the submission that it grades
    bool ready = false;            ///< has answered the setup
    Time deadline = Time::max();
  };
  struct Task {
    Submission submission;
    bool again = false;  ///< its process was lost once
  };

  void start(Job& job) const;
  void give(Job& job);
  void answer(Job& job, GradeAnswer what);
  void lost_before_ready(Job& job, const GradeAnswer& what);
  void finish(size_t number, GradeResult result);

  const Assignment& assignment_;
  GradeSetup setup_;
  OnResult on_result_;
  std::map<size_t, Task> submissions_;  ///< by number
  std::deque<size_t> waiting_;
  std::deque<Job> jobs_;
  size_t lost_starts_ = 0;  ///< of processes, one after another
  DeviceFacts device_;
};

}  // namespace warpmark
