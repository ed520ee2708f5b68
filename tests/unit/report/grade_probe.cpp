// Writes the reports of grades that grade_report_test.py reads with other programs' eyes.
//
// Usage: grade_report_probe KIND STUDENTS CASES. KIND: csv, items, junit, page, student (one for each),
// gradescope (one for each), class. Each report ends with a NUL. STUDENTS: a number, `states` for
// one of each state, or `hostile` for the same with hostile texts.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "report/grade/grade_console.hpp"
#include "report/grade/grade_junit.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/gradescope.hpp"
#include "report/grade/item_analysis.hpp"
#include "unit/results/example_grade.hpp"

int main(int argc, char** argv) {
  using namespace warpmark;
  if (argc != 4) return 2;
  const std::string kind = argv[1];
  const std::string students = argv[2];
  const size_t cases = std::strtoul(argv[3], nullptr, 10);
  std::vector<GradeResult> results;
  if (students == "states") {
    results = testing_results::every_state();
  } else if (students == "hostile") {
    results = testing_results::hostile();
  } else {
    results = testing_results::class_of(std::strtoul(argv[2], nullptr, 10), cases);
  }
  std::vector<std::string> reports;
  if (kind == "csv") reports = {grades_csv(results)};
  if (kind == "junit") reports = {grade_junit(results)};
  if (kind == "items") reports = {items_csv(analyse_items(results))};
  if (kind == "page") reports = {grade_page(results)};
  if (kind == "class") {
    std::ostringstream out;
    print_grades(out, {}, results);
    reports = {out.str()};
  }
  for (const GradeResult& result : results) {
    if (kind == "student") reports.push_back(student_page(StudentView(result)));
    if (kind == "gradescope") reports.push_back(gradescope_json(StudentView(result)));
  }
  for (const std::string& report : reports) std::cout << report << '\0';
}
