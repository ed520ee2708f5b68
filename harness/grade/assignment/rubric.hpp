// How an assignment gives its points, in sentences for students.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"

namespace warpmark {

/// How a case gives its points: "3 items, each with its share", "…, all points up to 1.1 × what the
/// course's kernel has, none from 4 ×". Without a full stop; "" for one item that is right or wrong.
std::string credit_sentence(const AssignmentCase& one);

/// The points of a case with what they are: "2", "2 (extra credit)".
std::string points_phrase(const AssignmentCase& one);

/// "2026-11-20 22:59 UTC", and what being late costs, in sentences; both "" without a due time.
std::string due_text(const LatePolicy& late);
std::string late_sentences(const LatePolicy& late);

}  // namespace warpmark
