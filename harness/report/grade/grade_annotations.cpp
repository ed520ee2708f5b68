#include "report/grade/grade_annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "report/grade/grade_text.hpp"
#include "report/problems/annotations.hpp"

namespace warpmark {
namespace {

// The line in "NAME:3: …", or in "NAME(3): …" as compilers write it; 0 for another file's.
int line_in(std::string_view text, const std::string& name) {
  if (!text.starts_with(name)) return 0;
  text.remove_prefix(name.size());
  if (text.empty() || (text.front() != ':' && text.front() != '(')) return 0;
  int line = 0;
  std::from_chars(text.data() + 1, text.data() + text.size(), line);
  return std::max(line, 0);
}

}  // namespace

void annotate_grade(std::ostream& out, const StudentView& view,
                    const std::vector<AnnotatedFile>& files) {
  const GradeResult& result = view.result();
  std::vector<Problem> problems;
  const auto add = [&](std::string_view place, const std::string& title, const std::string& text) {
    Position at{files.front().place, 0, 0};
    for (const AnnotatedFile& file : files) {
      const int line = line_in(place, file.name);
      if (line <= 0) continue;
      at = {file.place, line, 0};
      break;
    }
    problems.push_back({false, "grade", at, title, text, text});
  };
  if (result.state != GradeState::graded) {
    add(result.log, std::string(state_title(result.state)), message_text(result));
    write_annotations(out, problems);
    return;
  }
  for (const GradedCase& one : result.cases) {
    for (const GradedItem& item : one.items) {
      if (item.word == GradeWord::pass) continue;
      if (same_before(result, one.name, item).item != nullptr) continue;
      std::string text = item.explanation.empty() ? item.detail : item.explanation;
      if (!item.reproduce.empty()) text += "\nreproduce: " + item.reproduce;
      add(item.detail,
          fmt::format("{} of {} points: {}", points_text(one.points), points_text(one.max_points),
                      one.name),
          text);
    }
  }
  write_annotations(out, problems);
}

}  // namespace warpmark
