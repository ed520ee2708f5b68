#include "results/grade_result.hpp"

namespace warpmark {

std::string_view to_text(GradeState state) {
  switch (state) {
    case GradeState::graded:
      return "graded";
    case GradeState::refused:
      return "refused";
    case GradeState::compile_error:
      return "compile_error";
    case GradeState::limit:
      return "limit";
    case GradeState::fault:
      return "fault";
    case GradeState::grader_error:
      return "grader_error";
  }
  return "";
}

std::string_view to_text(GradeWord word) {
  switch (word) {
    case GradeWord::pass:
      return "pass";
    case GradeWord::wrong:
      return "wrong";
    case GradeWord::memory_error:
      return "memory error";
    case GradeWord::race:
      return "race";
    case GradeWord::barrier:
      return "barrier";
    case GradeWord::limit:
      return "limit";
    case GradeWord::not_launched:
      return "not launched";
  }
  return "";
}

std::string_view to_text(Visibility visibility) {
  return visibility == Visibility::visible ? "visible" : "hidden";
}

std::string_view to_text(Credit credit) {
  return credit == Credit::all ? "all" : "each";
}

GradeWord GradedCase::word() const {
  for (const GradedItem& item : items) {
    if (item.word != GradeWord::pass) return item.word;
  }
  return GradeWord::pass;
}

}  // namespace warpmark
