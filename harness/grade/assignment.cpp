#include "grade/assignment.hpp"

namespace warpmark {

double Assignment::max_points() const {
  double sum = 0;
  for (const AssignmentCase& one : cases) sum += one.points;
  return sum;
}

}  // namespace warpmark
