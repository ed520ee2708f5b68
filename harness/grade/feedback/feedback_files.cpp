#include "grade/feedback/feedback_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "grade/submission/gradebook.hpp"
#include "report/grade/feedback_text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Enough to refuse what would send a mail to somebody else, or to several.
bool is_address(std::string_view text) {
  return std::ranges::count(text, '@') == 1 && !text.starts_with('@') && !text.ends_with('@') &&
         text.find_first_of(" ,;:<>\"()[]\\\t") == std::string_view::npos;
}

}  // namespace

std::string feedback_file_name(const std::string& student) {
  constexpr size_t kMostLetters = 36, kDigits = 16;
  std::string name;
  for (const char c : lower_case(student)) {
    const bool kept = (c >= 'a' && c <= 'z') || is_digit(c);
    if (kept) name += c;
    if (!kept && !name.empty() && name.back() != '-') name += '-';
    if (name.size() >= kMostLetters) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name.empty()) name = "student";
  return name + "-" + sha256_hex(student).substr(0, kDigits) + ".txt";
}

std::vector<std::string> write_feedback(const fs::path& folder, const Roster* roster,
                                        const std::vector<GradeResult>& results) {
  std::vector<std::string> left_out;
  std::vector<GradeResult> graded;
  for (const GradeResult& result : results) {
    if (!has_points(result)) {
      left_out.push_back(
          fmt::format("`{}` has no grade yet, and no feedback", in_one_line(result.student)));
      continue;
    }
    write_file_atomically(folder / feedback_file_name(result.student),
                          feedback_text(StudentView(result)));
    graded.push_back(result);
  }
  const std::string end = "\r\n";
  std::string csv = R"("email","name","file","points","subject")" + end;
  if (roster != nullptr) {
    const Gradebook book = gradebook_of(*roster, graded);
    for (const std::string& text : book.left_out) left_out.push_back(text + ", and gets no mail");
    for (const auto& [row, result] : book.rows) {
      const std::string email =
          gradebook_id(roster->value(row, {"email address", "email", "e-mail", "sis login id"}));
      if (!is_address(email)) {
        left_out.push_back(fmt::format("`{}` has no e-mail address in the roster, and gets no mail",
                                       printable(roster->students()[row])));
        continue;
      }
      const std::string& title = result->title.empty() ? result->assignment : result->title;
      for (const std::string& cell :
           {email, roster->name(row), feedback_file_name(result->student), total_text(*result)}) {
        csv += csv_cell(cell) + ",";
      }
      csv += csv_cell(fmt::format("{}: {}", title, total_text(*result))) + end;
    }
  } else {
    left_out.emplace_back("without --roster, mailmerge.csv has no e-mail address and no row");
  }
  write_file_atomically(folder / "mailmerge.csv", csv);
  return left_out;
}

}  // namespace warpmark
