#include "grade/grader/grade_frame.hpp"

#include <algorithm>

#include "results/run_context.hpp"

namespace warpmark {

namespace {

// The share of an item's points that it gets, from 0 to 1.
double share_of(const GradedCase& one, const GradedItem& item) {
  if (item.word == GradeWord::pass) return 1;
  const bool counts = one.credit == Credit::degree && item.degree && item.degree->share >= one.from;
  return counts ? item.degree->share : 0;
}

// Performance makes points only if all of the case is right.
double performance_points(const GradedCase& one) {
  double sum = 0;
  for (const GradedItem& item : one.items) {
    if (item.word != GradeWord::pass) return 0;
    if (item.performance) sum += one.performance->points(item.performance->ratio, one.max_points);
  }
  return std::min(sum / static_cast<double>(one.items.size()), one.max_points);
}

double case_points(const GradedCase& one) {
  if (one.items.empty()) return 0;
  if (one.performance) return performance_points(one);
  double shares = 0;
  bool all = true;
  for (const GradedItem& item : one.items) {
    const double share = share_of(one, item);
    shares += share;
    all = all && item.word == GradeWord::pass;
  }
  if (all) return one.max_points;
  if (one.credit == Credit::all) return 0;
  return one.max_points * shares / static_cast<double>(one.items.size());
}

// A header that several files or spellings include is one.
void add_header(std::vector<GradedFile>& files, const OwnHeader& header) {
  const bool known = std::any_of(files.begin(), files.end(), [&](const GradedFile& one) {
    return one.name == header.name && one.sha256 == header.sha256;
  });
  if (!known) files.push_back({header.name, header.sha256, ""});
}

}  // namespace

GradeResult unfinished_grade(const Assignment& assignment, const Submission& submission) {
  GradeResult result;
  result.assignment = assignment.id;
  result.title = assignment.title;
  result.student = submission.student;
  result.ids = submission.ids;
  result.file = submission.file;
  result.submission_sha256 = submission.sha256;
  for (const SubmittedFile* file : submission.sources()) {
    if (submission.files.empty() && file->headers.empty()) break;
    result.files.push_back({file->file, file->own_sha256, file->refusal});
    for (const OwnHeader& header : file->headers) add_header(result.files, header);
  }
  result.max_points = assignment.max_points();
  result.context.warpmark = warpmark_version();
  result.context.assignment_sha256 = assignment.sha256;
  result.context.date = utc_date();
  for (const AssignmentCase& one : assignment.cases) {
    GradedCase& graded = result.cases.emplace_back();
    graded.name = one.name;
    graded.max_points = one.points;
    graded.visibility = one.visibility;
    graded.credit = one.credit;
    if (one.credit == Credit::degree) graded.from = one.from;
    graded.performance = one.performance;
    graded.hint = one.hint;
    graded.extra = one.extra;
    for (const Case& which : one.items) {
      GradedItem& item = graded.items.emplace_back();
      item.case_id = which.id;
      item.note = "not graded yet";
    }
  }
  blame_grader(result, "not finished");
  return result;
}

void refuse(GradeResult& result, GradeState state, const std::string& message) {
  result.state = state;
  result.message = message;
  for (GradedCase& one : result.cases) refuse(one, message);
  count_points(result);
}

void refuse(GradedCase& one, const std::string& message) {
  for (GradedItem& item : one.items) {
    item.word = GradeWord::not_launched;
    item.explanation = message;
    item.note.clear();
  }
}

void blame_grader(GradeResult& result, const std::string& staff) {
  result.state = GradeState::grader_error;
  result.message =
      "Your submission could not be graded. This is no fault of yours and costs no points; the "
      "course's staff have to look at it.";
  if (!result.staff.empty()) result.staff += '\n';
  result.staff += staff;
}

void count_points(GradeResult& result) {
  result.points = 0;
  for (GradedCase& one : result.cases) {
    one.open.clear();
    one.points = case_points(one);
    if (!one.performance || one.word() != GradeWord::pass) {
      result.points += one.points;
      continue;
    }
    for (const GradedItem& item : one.items) {
      if (!one.open.empty() || item.performance) continue;
      one.open = item.open.empty() ? "it was not measured" : item.open;
    }
    if (!one.open.empty()) one.points = 0;
    result.points += one.points;
  }
}

}  // namespace warpmark
