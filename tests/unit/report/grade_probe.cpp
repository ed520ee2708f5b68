// Writes the reports of grades that grade_report_test.py reads with other programs' eyes.
//
// Usage: report_probe KIND STUDENTS CASES. KIND: csv, junit, page, student, gradescope, console,
// class. STUDENTS 0: one of each state.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "report/grade_console.hpp"
#include "report/grade_junit.hpp"
#include "report/grade_page.hpp"
#include "report/grades_csv.hpp"
#include "report/gradescope.hpp"
#include "unit/results/example_grade.hpp"

int main(int argc, char** argv) {
  using namespace warpmark;
  if (argc != 4) return 2;
  const std::string kind = argv[1];
  const size_t students = std::strtoul(argv[2], nullptr, 10);
  const size_t cases = std::strtoul(argv[3], nullptr, 10);
  const std::vector<GradeResult> results = students == 0
                                               ? testing_results::every_state()
                                               : testing_results::class_of(students, cases);
  if (kind == "csv") std::cout << grades_csv(results);
  if (kind == "junit") std::cout << grade_junit(results);
  if (kind == "page") std::cout << grade_page(results);
  if (kind == "student") std::cout << student_page(StudentView(results.back()));
  if (kind == "class") print_grades(std::cout, {}, results);
  for (const GradeResult& result : results) {
    if (kind == "gradescope") std::cout << gradescope_json(StudentView(result)) << '\0';
    if (kind == "console") print_grade(std::cout, {}, StudentView(result));
  }
}
