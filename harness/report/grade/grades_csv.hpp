// The grades of a class as one table for spreadsheets and registers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// grades.csv by RFC 4180, in UTF-8 without a byte order mark: a row for each result, in the order
/// given. Columns: student, state, points, max_points, then for each case "NAME: points" and "NAME:
/// word", then submission_sha256 and flags. For staff: it has the words of hidden cases.
///
/// Texts are always in quotes. A spreadsheet takes a cell that begins with = + - or @ for a
/// formula, and runs it: there is an apostrophe before each of them, and where another separator
/// than the comma could begin a cell. A result that the grader is to blame for has no points, which
/// is not 0.
std::string grades_csv(const std::vector<GradeResult>& results);

/// A cell of text in quotes, which no spreadsheet takes for a formula.
std::string csv_cell(std::string_view text);

}  // namespace warpmark
