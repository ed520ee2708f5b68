// Values of the parts that pages of grades for staff and for students have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "results/grade_result.hpp"

namespace warpmark {

/// The share of its points that a case got, in five steps: 'h4' for all to 'h0' for none; 'none'
/// where nothing ran. Names of grade.css.
std::string heat_class(const GradedCase& one, GradeWord word);

/// Text for people as HTML, with what stands in `backticks` as code.
std::string html_prose(std::string_view text);

/// For case.html, a case of a result with its points, what happened in each item that failed, and
/// the hint. Of passed items only how many, and of those that fail as another one does which. With
/// `for_staff` also trials, times, errors and bounds, and the grader's notes.
nlohmann::ordered_json case_values(const GradeResult& result, const GradedCase& one, GradeWord word,
                                   bool for_staff);

/// For words.html and legends, each word with its meaning and, if something is lost, its letter.
nlohmann::ordered_json word_values();

/// The mark of a case in maps of many: a check mark, or a letter.
std::string cell_text(GradeWord word);

}  // namespace warpmark
