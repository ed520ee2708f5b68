// Prints grades of every state as JSON, one a line: whole, then as students see them.
#include <cstdio>

#include "unit/results/example_grade.hpp"

int main() {
  using namespace warpmark;
  std::vector<GradeResult> all = testing_results::every_state();
  all.push_back(testing_results::with_credit());
  for (const GradeResult& result : all) {
    std::printf("%s\n%s\n", to_json(result).dump().c_str(),
                to_json(StudentView(result)).dump().c_str());
  }
}
