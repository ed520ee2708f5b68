// A student's receipt of a grade: which file was graded, when, with what, for how many points.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct ReceiptLine {
  std::string name;  ///< "SHA-256"
  std::string value;
};

/// Lines in the order in which people ask; facts that the result lacks are left out. Empty without
/// a grade.
std::vector<ReceiptLine> receipt(const StudentView& view);

/// How to recompute the hash, with the file's name; "" without a file.
std::string receipt_check(const StudentView& view);

/// Both as lines of plain text, "name: value"; "" where there is no grade.
std::string receipt_text(const StudentView& view);

}  // namespace warpmark
