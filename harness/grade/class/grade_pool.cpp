#include "grade/class/grade_pool.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "grade/grader/grade_frame.hpp"
#include "grade/submission/graded_plan.hpp"
#include "jobs/forked_process.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {

namespace {

// Far beyond all limits that hold inside of the process: for a mistake of ours alone.
double patience_s(const Assignment& assignment) {
  const auto files = static_cast<double>(assignment.submission.files().size());
  double seconds = slowness() * (120 + 2 * assignment.limits.compile_s * files);
  for (const AssignmentCase& one : assignment.cases) {
    // Each trial may be launched twice, and tried out with the suite's own kernel.
    seconds += 4 * std::max(slowness() * assignment.limits.timeout_s, least_net()) *
               static_cast<double>(assignment.trials.count * one.items.size());
  }
  return seconds;
}

}  // namespace

bool GradePool::start_first(int wake_fd) {
  setup_.python->require_numpy();  // once for all forks
  grow(1);
  while (pool_.ready() == 0) {
    pollfd wake{wake_fd, POLLIN, 0};
    step({&wake, 1});
    if ((wake.revents & POLLIN) != 0) return false;
  }
  return true;
}

size_t GradePool::job_count(size_t wanted, size_t submissions) const {
  const bool alone = !device().has("deterministic");
  if (wanted == 0) {
    wanted = alone ? std::max<size_t>(1, setup_.devices.size()) : usable_processors();
  }
  return std::clamp<size_t>(wanted, 1, std::max<size_t>(1, submissions));
}

void GradePool::add(size_t number, Submission submission) {
  submissions_[number] = {std::move(submission)};
  waiting_.push_back(number);
}

std::string GradePool::device_of(size_t place) const {
  return setup_.devices.empty() ? setup_.grading.device
                                : setup_.devices[place % setup_.devices.size()];
}

pid_t GradePool::start(size_t place, Channel& /*ours*/, Channel& theirs) {
  GradeSetup setup = setup_;
  setup.grading.device = device_of(place);
  return fork_process(setup.python, [&] {
    pool_.forget();
    serve_as_grader(setup, theirs);
  });
}

// One of several GPUs may be in use, or be lost in the middle: the others grade on.
bool GradePool::spares(size_t place, const Error& error) {
  missing_.push_back(device_of(place) + ": " + error.what());
  return true;
}

std::optional<PoolJob> GradePool::next(size_t /*place*/) {
  if (waiting_.empty()) return std::nullopt;
  const size_t number = waiting_.front();
  waiting_.pop_front();
  const bool more = expects_more_ || !waiting_.empty();
  return PoolJob{number, to_message(submissions_.at(number).submission, more),
                 in_seconds(patience_s(assignment_))};
}

bool GradePool::answered(size_t number, const nlohmann::json& answer) {
  std::optional<GradeResult> result;
  try {
    result = grade_result_from_json(nlohmann::ordered_json(answer));
  } catch (const nlohmann::json::exception&) {
    return false;
  } catch (const Error&) {
    return false;
  }
  finish(number, std::move(*result));
  return true;
}

void GradePool::failed(size_t number, const Error& error) {
  blame(number, error.what());
}

bool GradePool::lost(const LostProcess& lost) {
  // Without a start there is no grade, for anybody. What something else ended, as the system does
  // for want of memory, is started again.
  constexpr size_t kMostLost = 3;
  if (lost.lost_starts >= kMostLost) {
    if (pool_.ready() > 0) return false;  // the others go on without it
    throw environment_error("a process that grades could not be started: it " + lost.how);
  }
  if (!lost.job) return true;
  // Once more, if its time was not up.
  if (!lost.timed_out && !std::exchange(submissions_.at(*lost.job).again, true)) {
    waiting_.push_front(*lost.job);
  } else {
    blame(*lost.job, "the process that graded it " + lost.how);
  }
  return true;
}

void GradePool::blame(size_t number, const std::string& reason) {
  const Submission& submission = submissions_.at(number).submission;
  GradeResult failed = unfinished_grade(assignment_, submission);
  failed.staff = submission.note;
  blame_grader(failed, reason);
  finish(number, std::move(failed));
}

void GradePool::finish(size_t number, GradeResult result) {
  result.student = submissions_.at(number).submission.student;  // whatever came back
  submissions_.erase(number);
  on_result_(number, std::move(result));
}

}  // namespace warpmark
