// What a student can show of a grade: which file was graded, when, with what, for how many points.
#pragma once

#include <string>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

struct ReceiptLine {
  std::string name;  ///< "SHA-256"
  std::string value;
};

/// In the order in which people ask; what the result does not know is left out. Empty where there is
/// no grade.
std::vector<ReceiptLine> receipt(const StudentView& view);

/// How to recompute the hash, with the file's name; "" without a file.
std::string receipt_check(const StudentView& view);

/// Both as lines of plain text, "name: value"; "" where there is no grade.
std::string receipt_text(const StudentView& view);

}  // namespace warpmark
