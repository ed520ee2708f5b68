#include "grade/class/class_run.hpp"

#include <poll.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/class/grade_changes.hpp"
#include "grade/class/grade_pool.hpp"
#include "grade/grader/grade_frame.hpp"
#include "grade/grader/grade_key.hpp"
#include "grade/leaderboard/leaderboard.hpp"
#include "report/grade/grade_text.hpp"

namespace warpmark {

namespace {

// Renews an existing result for the present assignment: the same verdicts, with the new points,
// names and hints. Returns nothing if an item has none.
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
        pool_(assignment, options.setup,
              [this](size_t i, GradeResult result) { has_result(i, std::move(result)); }),
        previous_(submissions_.size()),
        keys_(submissions_.size()),
        results_(submissions_.size()),
        version_(assignment_version(secret().bytes(), assignment.sha256)),
        verdict_version_(assignment_version(secret().bytes(), assignment.verdict_sha256)) {
    if (assignment.leaderboard) pseudonyms_.emplace(secret().bytes());
  }

  ClassRunResult run() {
    files_.require_assignment(assignment_.id);
    if (pool_.start_first(wake_fd_)) {
      whole_.device = pool_.device();
      sort_out();
      grade_all();
    } else {
      whole_.interrupted = true;
    }
    for (std::optional<GradeResult>& result : results_) {
      if (result) whole_.results.push_back(std::move(*result));
    }
    write_sums();
    if (!whole_.changes.empty()) files_.add_changes(whole_.changes);
    return std::move(whole_);
  }

 private:
  const Secret& secret() const { return *options_.setup.grading.secret; }

  // A shard sums up its own part only: other results in the folder are of another division.
  void write_sums() const {
    std::vector<GradeResult> all = files_.read_all();
    if (!options_.part) return files_.write_class(all);
    std::set<std::string> own;
    for (const Submission& one : submissions_) own.insert(one.student);
    std::erase_if(all, [&](const GradeResult& one) { return !own.contains(one.student); });
    files_.write_part(all);
  }

  // Sorts the submissions into reused, refused and to be graded.
  void sort_out() {
    const KeyContext context =
        key_context(pool_.device(), secret().fingerprint(), options_.setup.grading.no_sandbox);
    for (size_t i = 0; i < submissions_.size(); ++i) {
      Submission& submission = submissions_[i];
      read_submission(submission, assignment_.submission);
      keys_[i] = grade_key(submission, assignment_, context);
      previous_[i] = files_.read(submission.student);
      if (previous_[i] && !has_points(*previous_[i])) previous_[i].reset();
      if (previous_[i] && previous_[i]->key == keys_[i] && !options_.regrade && reuse(i)) continue;
      GradeResult frame = unfinished_grade(assignment_, submission);
      if (!submission.refusal.empty()) {
        frame.staff = submission.note;
        refuse(frame, GradeState::refused, submission.refusal);
        has_result(i, std::move(frame));
        continue;
      }
      if (!previous_[i]) files_.write(frame);
      pool_.add(i, submission);
    }
    watcher_.device_found(pool_.device(), count_jobs());
  }

  size_t count_jobs() const {
    // Nothing else is on a GPU while something is timed there.
    const bool times = std::ranges::any_of(assignment_.cases, is_timed<AssignmentCase>);
    const bool alone = times && !pool_.device().has("counters");
    return pool_.job_count(alone ? 1 : options_.jobs, pool_.unfinished());
  }

  void grade_all() {
    pool_.grow(count_jobs());
    while (pool_.unfinished() > 0) {
      pollfd wake{wake_fd_, POLLIN, 0};  // a negative one is passed over
      pool_.step({&wake, 1});
      if ((wake.revents & POLLIN) == 0) continue;
      whole_.interrupted = true;
      pool_.kill();
      return;
    }
  }

  void has_result(size_t i, GradeResult result) {
    result.ids = submissions_[i].ids;  // no process that grades knows them
    result.key = keys_[i];
    set_versions(result);
    if (!has_points(result)) {
      ++whole_.failed;
      if (previous_[i]) result = kept_grade(*previous_[i], result);
    }
    join_times(i, result);
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
    set_versions(*result);
    join_times(i, *result);
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

  void set_versions(GradeResult& result) const {
    result.context.assignment_version = version_;
    result.context.verdict_version = verdict_version_;
    result.context.speed_only = options_.speed_only;
  }

  // Times that were taken once stay until others come.
  void join_times(size_t i, GradeResult& result) const {
    if (previous_[i]) take_times(result, *previous_[i]);
    if (options_.times != nullptr) options_.times->join(result);
  }

  // Notes the student whose points a new result changes, and why; keeps the old result.
  void note_change(const GradeResult& before, const GradeResult& after) {
    const std::optional<GradeChange> change = change_between(before, after);
    if (!change) return;
    files_.keep(before);
    whole_.changes.push_back(*change);
  }

  void adjust(size_t i, GradeResult& result) const {
    if (options_.rules != nullptr)
      options_.rules->apply(result, submissions_[i].handed_in, submissions_[i].own_due);
    result.leaderboard.reset();
    if (!pseudonyms_) return;
    set_leaderboard(*assignment_.leaderboard, *pseudonyms_, submissions_[i].text, result);
  }

  const Assignment& assignment_;
  std::vector<Submission> submissions_;
  const GradeFiles& files_;
  const ClassRunOptions& options_;
  ClassRunWatcher& watcher_;
  int wake_fd_;
  GradePool pool_;

  std::vector<std::optional<GradeResult>> previous_;  ///< by submission: the earlier grade
  std::vector<std::string> keys_;
  std::vector<std::optional<GradeResult>> results_;
  std::string version_;                   ///< version of the assignment, for receipts
  std::string verdict_version_;           ///< GradeContext::verdict_version
  std::optional<Pseudonyms> pseudonyms_;  ///< for a leaderboard
  ClassRunResult whole_;
};

}  // namespace

ClassRunResult run_class(const Assignment& assignment, std::vector<Submission> submissions,
                         const GradeFiles& files, const ClassRunOptions& options,
                         ClassRunWatcher& watcher, int wake_fd) {
  return ClassRun(assignment, std::move(submissions), files, options, watcher, wake_fd).run();
}

}  // namespace warpmark
