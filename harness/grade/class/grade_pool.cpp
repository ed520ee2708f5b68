#include "grade/class/grade_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "grade/grader/grade_frame.hpp"
#include "grade/submission/graded_plan.hpp"

namespace warpmark {

namespace {

// Far beyond all limits that hold inside of the process: for a mistake of ours alone.
std::chrono::duration<double> patience(const Assignment& assignment) {
  const auto files = static_cast<double>(assignment.submission.files().size());
  double seconds = 120 + 2 * assignment.limits.compile_s * files;
  for (const AssignmentCase& one : assignment.cases) {
    // Each trial may be launched twice, and tried out with the suite's own kernel.
    seconds += 4 * std::max(assignment.limits.timeout_s, kLeastNet) *
               static_cast<double>(assignment.trials.count * one.items.size());
  }
  return std::chrono::duration<double>(seconds);
}

}  // namespace

bool GradePool::start_first(int wake_fd) {
  grow(1);
  while (!jobs_.front().ready) {
    pollfd wake{wake_fd, POLLIN, 0};
    step({&wake, 1});
    if ((wake.revents & POLLIN) != 0) return false;
  }
  return true;
}

size_t GradePool::job_count(size_t wanted, size_t submissions) const {
  const bool alone = !device_.has("deterministic");
  if (wanted == 0) {
    wanted = alone ? std::max<size_t>(1, setup_.devices.size())
                   : std::max(1U, std::thread::hardware_concurrency());
  }
  return std::clamp<size_t>(wanted, 1, std::max<size_t>(1, submissions));
}

void GradePool::grow(size_t count) {
  while (jobs_.size() < count) {
    jobs_.emplace_back();
    jobs_.back().place = jobs_.size() - 1;
    start(jobs_.back());
  }
}

void GradePool::add(size_t number, Submission submission) {
  submissions_[number] = {std::move(submission)};
  waiting_.push_back(number);
}

void GradePool::start(Job& job) const {
  GradeSetup setup = setup_;
  if (!setup.devices.empty()) setup.device = setup.devices[job.place % setup.devices.size()];
  const size_t place = job.place;
  job = Job{};
  job.place = place;
  job.process = std::make_unique<GradeProcess>(setup);
}

void GradePool::give(Job& job) {
  job.number = waiting_.front();
  waiting_.pop_front();
  job.deadline = std::chrono::steady_clock::now() +
                 std::chrono::duration_cast<Time::duration>(patience(assignment_));
  job.process->grade(submissions_.at(*job.number).submission);
}

void GradePool::step(std::span<pollfd> others) {
  for (Job& job : jobs_) {
    if (job.ready && !job.number && !waiting_.empty()) give(job);
  }
  std::vector<pollfd> fds(others.begin(), others.end());
  for (const Job& job : jobs_) fds.push_back({job.process ? job.process->fd() : -1, POLLIN, 0});
  constexpr int kTickMs = 1000;  // how late a deadline may be seen
  if (::poll(fds.data(), fds.size(), kTickMs) < 0) {
    if (errno == EINTR) return;
    throw internal_error("poll failed");
  }
  std::copy_n(fds.begin(), others.size(), others.begin());
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!jobs_[i].process) continue;
    if (fds[others.size() + i].revents != 0) {
      answer(jobs_[i], jobs_[i].process->receive());
    } else if (jobs_[i].deadline < std::chrono::steady_clock::now()) {
      jobs_[i].process->kill();
      answer(jobs_[i], GradeProcessEnd{"did not answer and was ended", true});
    }
  }
}

void GradePool::kill() {
  for (Job& job : jobs_) {
    if (job.process) job.process->kill();
  }
}

// Without a start there is no grade, for anybody. What something else ended, as the system does for
// want of memory, is started again.
void GradePool::lost_before_ready(Job& job, const GradeAnswer& what) {
  if (const auto* error = std::get_if<Error>(&what)) throw Error(*error);
  constexpr size_t kMostLost = 3;
  if (++lost_starts_ < kMostLost) {
    start(job);
    return;
  }
  const bool others =
      std::any_of(jobs_.begin(), jobs_.end(), [](const Job& one) { return one.ready; });
  if (!others) {
    throw environment_error("a process that grades could not be started: it " +
                            std::get<GradeProcessEnd>(what).how);
  }
  job.process.reset();  // they go on without it
}

void GradePool::answer(Job& job, GradeAnswer what) {
  if (auto* facts = std::get_if<DeviceFacts>(&what)) {
    job.ready = true;
    lost_starts_ = 0;
    if (device_.name.empty()) device_ = std::move(*facts);
    return;
  }
  if (!job.ready) {
    lost_before_ready(job, what);
    return;
  }
  if (!job.number) {  // it ended while it had nothing to do
    start(job);
    return;
  }
  const size_t number = *std::exchange(job.number, std::nullopt);
  job.deadline = Time::max();
  if (auto* result = std::get_if<GradeResult>(&what)) {
    finish(number, std::move(*result));
    return;
  }
  // Once more, if its time was not up.
  Task& task = submissions_.at(number);
  const auto* lost = std::get_if<GradeProcessEnd>(&what);
  if (lost != nullptr) start(job);
  if (lost != nullptr && !lost->timed_out && !std::exchange(task.again, true)) {
    waiting_.push_front(number);
    return;
  }
  GradeResult failed = unfinished_grade(assignment_, task.submission);
  failed.staff = task.submission.note;
  blame_grader(failed, lost == nullptr ? std::get<Error>(what).what()
                                       : "the process that graded it " + lost->how);
  finish(number, std::move(failed));
}

void GradePool::finish(size_t number, GradeResult result) {
  result.student = submissions_.at(number).submission.student;  // whatever came back
  submissions_.erase(number);
  on_result_(number, std::move(result));
}

}  // namespace warpmark
