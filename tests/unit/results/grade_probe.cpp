// Prints grades of every state as JSON, one a line: whole, then as students see them.
#include <cstdio>

#include "unit/results/example_grade.hpp"

int main() {
  using namespace warpmark;
  for (const GradeResult& result : testing_results::every_state()) {
    std::printf("%s\n%s\n", to_json(result).dump().c_str(),
                to_json(StudentView(result)).dump().c_str());
  }
}
