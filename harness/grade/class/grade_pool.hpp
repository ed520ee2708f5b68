// Processes that grade submissions at the same time. One that is lost costs its submission a second
// try, and nobody else anything.
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/grade_worker.hpp"
#include "grade/submission/submission.hpp"
#include "jobs/process_pool.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

class GradePool : private PoolOwner {
 public:
  /// Is given each submission's result, grader errors included, by the number of add().
  using OnResult = std::function<void(size_t number, GradeResult result)>;

  GradePool(const Assignment& assignment, GradeSetup setup, OnResult on_result)
      : assignment_(assignment),
        setup_(std::move(setup)),
        on_result_(std::move(on_result)),
        pool_(*this) {}

  /// Starts the first process, and returns once it has the device; false if `wake_fd` (-1: none)
  /// became readable before. Throws usage errors (the suite's own kernel fails) and environment
  /// errors (no device).
  bool start_first(int wake_fd);
  const DeviceFacts& device() const { return pool_.device(); }

  /// How many processes serve so many submissions: a device whose results depend on nothing but
  /// their input can be had several times at once. `wanted` 0: one for each processor.
  size_t job_count(size_t wanted, size_t submissions) const;
  /// Starts processes until there are so many.
  void grow(size_t count) { pool_.grow(count); }

  /// With `more`, others may be added later, and the processes make ready for the next one.
  void expect_more(bool more) { expects_more_ = more; }
  /// To be graded: read, and not refused.
  void add(size_t number, Submission submission);
  /// Added ones without a result.
  size_t unfinished() const { return submissions_.size(); }

  /// Gives work to processes, and waits for an answer, or until one of `others` has events; both
  /// for a second at most.
  void step(std::span<pollfd> others) { pool_.step(others); }

  /// Why processes are missing: those of devices that could not be had, while others could.
  const std::vector<std::string>& missing() const { return missing_; }

  /// Ends all processes at once. What they grade has no result.
  void kill() { pool_.kill(); }

 private:
  struct Task {
    Submission submission;
    bool again = false;  ///< its process was lost once
  };

  std::string device_of(size_t place) const;
  pid_t start(size_t place, Channel& ours, Channel& theirs) override;
  std::optional<PoolJob> next(size_t place) override;
  bool answered(size_t number, const nlohmann::json& answer) override;
  void failed(size_t number, const Error& error) override;
  bool lost(const LostProcess& lost) override;
  bool spares(size_t place, const Error& error) override;
  void blame(size_t number, const std::string& reason);
  void finish(size_t number, GradeResult result);

  const Assignment& assignment_;
  GradeSetup setup_;
  OnResult on_result_;
  std::map<size_t, Task> submissions_;  ///< by number
  std::deque<size_t> waiting_;
  bool expects_more_ = false;
  std::vector<std::string> missing_;
  ProcessPool pool_;
};

}  // namespace warpmark
