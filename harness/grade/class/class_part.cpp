#include "grade/class/class_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/submission/student_name.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Seconds by student.
std::map<std::string, double> known_times(const fs::path& folder) {
  std::map<std::string, double> times;
  if (folder.empty()) return times;
  for (const GradeResult& one : read_grades(folder)) times[one.student] = one.seconds;
  if (!times.empty()) return times;
  throw usage_error(fmt::format("--shard-times: there are no grades in {}", display_path(folder)),
                    {}, "name the folder that an earlier `warpmark grade` had as -o");
}

}  // namespace

std::vector<RenamedStudent> settle_names(std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier) {
  std::map<std::string, const GradeResult*> by_student, by_id;
  for (const GradeResult& one : earlier) {
    by_student[one.student] = &one;
    for (const PlatformId& id : one.ids) by_id[to_text(id)] = &one;
  }
  std::vector<RenamedStudent> renamed;
  for (Submission& submission : submissions) {
    if (submission.ids.empty()) continue;
    const auto same_name = by_student.find(submission.student);
    if (same_name != by_student.end()) {
      const std::vector<PlatformId>& theirs = same_name->second->ids;
      if (theirs.empty() || share_id(theirs, submission.ids)) continue;
      submission.student += " (" + student_name(submission.ids.front().value) + ")";
    }
    const auto own = std::ranges::find_if(
        submission.ids, [&](const PlatformId& id) { return by_id.contains(to_text(id)); });
    if (own == submission.ids.end()) continue;
    const std::string& before = by_id[to_text(*own)]->student;
    if (before != submission.student && !by_student.contains(submission.student))
      renamed.push_back({before, submission.student});
  }
  return renamed;
}

std::vector<KnownStudent> known_students(const std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier) {
  std::vector<KnownStudent> students;
  for (const Submission& one : submissions) students.push_back({one.student, one.ids});
  for (const GradeResult& one : earlier) students.push_back({one.student, one.ids});
  return students;
}

ClassNotes settle_students(FoundSubmissions& found, const std::vector<GradeResult>& earlier,
                           const Roster* roster, GradeRules& rules) {
  ClassNotes notes{found.left_out, found.unmatched, found.missing,
                   rules.settle(known_students(found.all, earlier), roster)};
  for (std::string& text : rules.unused_lateness(found.all))
    notes.unknown.push_back(std::move(text));
  return notes;
}

GradeShard keep_part(FoundSubmissions& found, const Shard& shard, const fs::path& times) {
  std::vector<std::string> students;
  for (const Submission& one : found.all) students.push_back(one.student);
  const Division division = divide_named(students, known_times(times), shard.count,
                                         count_text(found.all.size(), "submission"));
  GradeShard part;
  std::vector<Submission> kept;
  for (size_t i = 0; i < found.all.size(); ++i) {
    if (division.shards[i] != shard.index) continue;
    part.submissions.push_back({i, found.all[i].student});
    kept.push_back(std::move(found.all[i]));
  }
  part.shard = {shard.index, shard.count, students.size(), division.digest, ""};
  part.notes.left_out = found.left_out;
  part.notes.unmatched = found.unmatched;
  part.notes.missing = found.missing;
  found.all = std::move(kept);
  return part;
}

void set_common(GradeShard& shard, const Assignment& assignment, std::string_view secret,
                const std::vector<std::pair<std::string, fs::path>>& files) {
  shard.warpmark = warpmark_version();
  shard.assignment = assignment.id;
  shard.assignment_sha256 = assignment.sha256;
  shard.assignment_version = assignment_version(secret, assignment.sha256);
  for (const auto& [name, file] : files) {
    if (!file.empty()) shard.files.emplace_back(name, sha256_hex(read_file(file)));
  }
}

void set_result(GradeShard& shard, const ClassRunResult& run, bool no_sandbox) {
  shard.device = fmt::format("{} (sm_{})", run.device.name, run.device.architecture);
  const int driver = run.device.driver_version;
  shard.driver_version = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
  shard.nvrtc_version = run.device.nvrtc_version;
  shard.no_sandbox = no_sandbox;
  shard.finished = !run.interrupted;
}

}  // namespace warpmark
