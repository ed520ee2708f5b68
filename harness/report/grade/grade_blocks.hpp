// Parts that pages of grades for staff and for students have in common.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "results/grade_result.hpp"

namespace warpmark {

/// In the order of reports.
constexpr std::array<GradeWord, 7> kGradeWords = {
    GradeWord::pass,    GradeWord::wrong, GradeWord::memory_error, GradeWord::race,
    GradeWord::barrier, GradeWord::limit, GradeWord::not_launched};

/// How the total comes about where rules of the course change it; "" where none does.
std::string adjustment_block(const GradeResult& result);

/// The share of its points that a case got, in five steps: 'h4' for all to 'h0' for none; 'none'
/// where nothing ran. Names of kGradeStyle.
std::string heat_class(const GradedCase& one, GradeWord word);

/// A pill with the word, coloured by whether points were lost: "pass", "part", "lost".
std::string word_badge(const GradedCase& one, GradeWord word);

/// Text for people as HTML, with what stands in `backticks` as code.
std::string html_prose(std::string_view text);

/// A case of a result with its points, what happened in each item that failed, and the hint. Of
/// passed items only how many, and of those that fail as another one does which. With `for_staff`
/// also trials, times, errors and bounds, and the grader's notes.
std::string case_block(const GradeResult& result, const GradedCase& one, GradeWord word,
                       bool for_staff);

/// The compiler's log, unfolded or not; "" if it is empty.
std::string log_block(std::string_view log, bool open);

/// The closing words: what each word means.
std::string words_footer();

}  // namespace warpmark
