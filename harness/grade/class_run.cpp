#include "grade/class_run.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "grade/grade_changes.hpp"
#include "grade/grade_frame.hpp"
#include "grade/grade_key.hpp"
#include "grade/graded_plan.hpp"
#include "grade/seeds.hpp"
#include "report/grade_text.hpp"

namespace warpmark {

namespace {

using Time = std::chrono::steady_clock::time_point;

// How `staff` begins for a grade that was kept because a later one failed.
constexpr std::string_view kKeptNote = "kept although grading again failed";

bool is_grade(const GradeResult& result) {
  return result.state != GradeState::grader_error;
}

// Far beyond all limits that hold inside of the process: for a mistake of ours alone.
std::chrono::duration<double> patience(const Assignment& assignment) {
  double seconds = 120 + 2 * assignment.limits.compile_s;
  for (const AssignmentCase& one : assignment.cases) {
    // Each trial may be launched twice, and tried out with the suite's own kernel.
    seconds += 4 * std::max(assignment.limits.timeout_s, kLeastNet) *
               static_cast<double>(assignment.trials * one.items.size());
  }
  return std::chrono::duration<double>(seconds);
}

// A device whose results depend on nothing but their input can be had several times at once.
size_t job_count(const DeviceFacts& device, size_t wanted, size_t submissions) {
  const bool alone = !device.has("deterministic");
  size_t jobs = wanted;
  if (jobs == 0) jobs = alone ? 1 : std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<size_t>(jobs, 1, std::max<size_t>(1, submissions));
}

// The grade that was there, with a line for staff of why there is no newer one.
GradeResult kept(GradeResult previous, const GradeResult& failed) {
  const size_t old = previous.staff.find(kKeptNote);
  if (old != std::string::npos) previous.staff.resize(old);
  if (!previous.staff.empty() && previous.staff.back() != '\n') previous.staff += '\n';
  previous.staff += fmt::format("{} on {}: {}", kKeptNote, failed.context.date, failed.staff);
  if (failed.submission_sha256 != previous.submission_sha256) {
    previous.staff += "\nthe file that was handed in since then has no grade yet";
  }
  return previous;
}

// A result that is there, for the assignment as it is now: the same verdicts, with its points,
// names and hints. Nothing if an item has none.
std::optional<GradeResult> renewed(const GradeResult& known, const Assignment& assignment,
                                   const Submission& submission) {
  std::map<std::string, const GradedItem*> verdicts;
  for (const GradedCase& one : known.cases) {
    for (const GradedItem& item : one.items) verdicts[item.case_id] = &item;
  }
  GradeResult result = unfinished_grade(assignment, submission);
  for (GradedCase& one : result.cases) {
    for (GradedItem& item : one.items) {
      const auto found = verdicts.find(item.case_id);
      if (found == verdicts.end()) return std::nullopt;
      item = *found->second;
    }
  }
  result.state = known.state;
  result.key = known.key;
  result.message = known.message;
  result.log = known.log;
  result.staff = known.staff;
  result.flags = known.flags;
  result.ptx_prints = known.ptx_prints;
  result.seconds = known.seconds;
  result.context = known.context;
  result.context.assignment_sha256 = assignment.sha256;
  result.adjustments = known.adjustments;
  result.handed_in = known.handed_in;
  count_points(result);
  return result;
}

class ClassRun {
 public:
  ClassRun(const Assignment& assignment, std::vector<Submission> submissions,
           const GradeFiles& files, const ClassRunOptions& options, ClassRunWatcher& watcher,
           int wake_fd)
      : assignment_(assignment),
        submissions_(std::move(submissions)),
        files_(files),
        options_(options),
        watcher_(watcher),
        wake_fd_(wake_fd),
        previous_(submissions_.size()),
        keys_(submissions_.size()),
        results_(submissions_.size()),
        version_(assignment_version(options.setup.secret, assignment.sha256)) {}

  ClassRunResult run() {
    refuse_other_assignment();
    if (start_first()) {
      sort_out();
      grade_all();
    } else {
      whole_.interrupted = true;
    }
    for (std::optional<GradeResult>& result : results_) {
      if (result) whole_.results.push_back(std::move(*result));
    }
    files_.write_class(files_.read_all());
    if (!whole_.changes.empty()) files_.add_changes(whole_.changes);
    return std::move(whole_);
  }

 private:
  struct Job {
    std::unique_ptr<GradeProcess> process;
    std::optional<size_t> submission;  ///< that it grades
    bool ready = false;                ///< has answered the setup
    Time deadline = Time::max();
  };

  void refuse_other_assignment() const {
    for (const GradeResult& there : files_.read_all()) {
      if (there.assignment == assignment_.id) continue;
      throw usage_error(
          fmt::format("the folder of -o has grades of the assignment `{}`, and this one is `{}`",
                      printable(there.assignment), assignment_.id),
          {}, "each assignment needs a folder of its own");
    }
  }

  // Returns false if it was interrupted.
  bool start_first() {
    jobs_.emplace_back();
    start(jobs_.front());
    while (!jobs_.front().ready) {
      if (!wait()) return false;
    }
    return true;
  }

  // What is reused, refused, and to be graded.
  void sort_out() {
    const KeyContext context =
        key_context(device_, options_.secret_fingerprint, options_.setup.no_sandbox);
    for (size_t i = 0; i < submissions_.size(); ++i) {
      Submission& submission = submissions_[i];
      read_submission(submission, assignment_.submission);
      keys_[i] = grade_key(submission, assignment_, context);
      previous_[i] = files_.read(submission.student);
      if (previous_[i] && !is_grade(*previous_[i])) previous_[i].reset();
      if (previous_[i] && previous_[i]->key == keys_[i] && !options_.regrade && reuse(i)) continue;
      GradeResult frame = unfinished_grade(assignment_, submission);
      if (!submission.refusal.empty()) {
        frame.staff = submission.note;
        refuse(frame, GradeState::refused, submission.refusal);
        has_result(i, std::move(frame));
        continue;
      }
      if (!previous_[i]) files_.write(frame);
      waiting_.push_back(i);
    }
    watcher_.device_found(device_, count_jobs());
  }

  size_t count_jobs() const { return job_count(device_, options_.jobs, waiting_.size()); }

  void grade_all() {
    const size_t count = count_jobs();
    while (jobs_.size() < count) {
      jobs_.emplace_back();
      start(jobs_.back());
    }
    for (;;) {
      bool busy = false;
      for (Job& job : jobs_) {
        if (job.ready && !job.submission && !waiting_.empty()) give(job);
        busy = busy || job.submission;
      }
      if (!busy && waiting_.empty()) return;
      if (!wait()) {
        whole_.interrupted = true;
        for (Job& job : jobs_) {
          if (job.process) job.process->kill();
        }
        return;
      }
    }
  }

  void start(Job& job) {
    job = Job{};
    job.process = std::make_unique<GradeProcess>(options_.setup);
  }

  void give(Job& job) {
    job.submission = waiting_.front();
    waiting_.pop_front();
    job.deadline = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<Time::duration>(patience(assignment_));
    job.process->grade(submissions_[*job.submission]);
  }

  // Waits for an answer of any process and takes it. Returns false once it was interrupted.
  bool wait() {
    std::vector<pollfd> fds;
    for (const Job& job : jobs_) fds.push_back({job.process ? job.process->fd() : -1, POLLIN, 0});
    fds.push_back({wake_fd_, POLLIN, 0});  // a negative one is passed over
    constexpr int kTickMs = 1000;          // how late a deadline may be seen
    if (::poll(fds.data(), fds.size(), kTickMs) < 0) {
      if (errno == EINTR) return true;
      throw internal_error("poll failed");
    }
    if ((fds.back().revents & POLLIN) != 0) return false;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      if (!jobs_[i].process) {
        continue;
      }
      if (fds[i].revents != 0) {
        answer(jobs_[i], jobs_[i].process->receive());
      } else if (jobs_[i].deadline < std::chrono::steady_clock::now()) {
        jobs_[i].process->kill();
        answer(jobs_[i], GradeProcessEnd{"did not answer and was ended", true});
      }
    }
    return true;
  }

  void answer(Job& job, GradeAnswer what) {
    if (auto* facts = std::get_if<DeviceFacts>(&what)) {
      job.ready = true;
      lost_starts_ = 0;
      if (device_.name.empty()) device_ = std::move(*facts);
      return;
    }
    if (!job.ready) {
      // Without a start there is no grade, for anybody.
      if (const auto* error = std::get_if<Error>(&what)) throw *error;
      // What something else ended, as the system does for want of memory, is started again.
      constexpr size_t kMostLost = 3;
      if (++lost_starts_ < kMostLost) {
        start(job);
        return;
      }
      const bool others =
          std::any_of(jobs_.begin(), jobs_.end(), [](const Job& one) { return one.ready; });
      if (others) {
        job.process.reset();  // they go on without it
        return;
      }
      throw environment_error("a process that grades could not be started: it " +
                              std::get<GradeProcessEnd>(what).how);
    }
    if (!job.submission) {  // it ended while it had nothing to do
      start(job);
      return;
    }
    const size_t i = *std::exchange(job.submission, std::nullopt);
    job.deadline = Time::max();
    if (auto* result = std::get_if<GradeResult>(&what)) {
      has_result(i, std::move(*result));
      return;
    }
    // Once more, if its time was not up.
    const auto* lost = std::get_if<GradeProcessEnd>(&what);
    if (lost != nullptr && !lost->timed_out && again_.insert(i).second) {
      waiting_.push_front(i);
      start(job);
      return;
    }
    GradeResult failed = unfinished_grade(assignment_, submissions_[i]);
    failed.staff = submissions_[i].note;
    if (const auto* error = std::get_if<Error>(&what)) {
      blame_grader(failed, error->what());
    } else {
      blame_grader(failed, "the process that graded it " + std::get<GradeProcessEnd>(what).how);
      start(job);
    }
    has_result(i, std::move(failed));
  }

  void has_result(size_t i, GradeResult result) {
    result.key = keys_[i];
    result.student = submissions_[i].student;  // whatever came back
    result.context.assignment_version = version_;
    if (!is_grade(result)) {
      ++whole_.failed;
      if (previous_[i]) result = kept(*previous_[i], result);
    }
    adjust(i, result);
    if (previous_[i]) note_change(*previous_[i], result);
    files_.write(result);
    results_[i] = std::move(result);
    watcher_.has_result(*results_[i], false);
  }

  // Points, hints and rules change without a new grade.
  bool reuse(size_t i) {
    std::optional<GradeResult> result = renewed(*previous_[i], assignment_, submissions_[i]);
    if (!result) return false;
    ++whole_.reused;
    result->context.assignment_version = version_;
    adjust(i, *result);
    if (to_json(*result) != to_json(*previous_[i])) {
      note_change(*previous_[i], *result);
      files_.write(*result);
    }
    results_[i] = std::move(result);
    previous_[i].reset();
    watcher_.has_result(*results_[i], true);
    return true;
  }

  // Whose points a new result changes, and why; the old one is kept.
  void note_change(const GradeResult& before, const GradeResult& after) {
    if (!has_points(before) || !has_points(after)) return;
    if (points_text(before.final_points()) == points_text(after.final_points())) return;
    files_.keep(before);
    whole_.changes.push_back(
        {after.student, before.final_points(), after.final_points(), why_changed(before, after)});
  }

  void adjust(size_t i, GradeResult& result) const {
    if (options_.rules != nullptr) options_.rules->apply(result, submissions_[i].handed_in);
  }

  const Assignment& assignment_;
  std::vector<Submission> submissions_;
  const GradeFiles& files_;
  const ClassRunOptions& options_;
  ClassRunWatcher& watcher_;
  int wake_fd_;

  std::vector<std::optional<GradeResult>> previous_;  ///< by submission: the grade that was there
  std::vector<std::string> keys_;
  std::vector<std::optional<GradeResult>> results_;
  std::string version_;  ///< of the assignment, for receipts
  std::deque<size_t> waiting_;
  std::deque<Job> jobs_;
  size_t lost_starts_ = 0;  ///< of processes, one after another
  std::set<size_t> again_;  ///< submissions whose process was lost once
  DeviceFacts device_;
  ClassRunResult whole_;
};

}  // namespace

ClassRunResult run_class(const Assignment& assignment, std::vector<Submission> submissions,
                         const GradeFiles& files, const ClassRunOptions& options,
                         ClassRunWatcher& watcher, int wake_fd) {
  return ClassRun(assignment, std::move(submissions), files, options, watcher, wake_fd).run();
}

}  // namespace warpmark
