// An analysis of the cases of an assignment: how hard each is, and how well it tells students
// apart.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/grade/grade_text.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// A failure that several students share, equal apart from numbers.
struct CommonFailure {
  GradeWord word = GradeWord::wrong;  ///< pass if only the performance misses a rule
  std::string cause;                  ///< text of the first such failure; "" if there is none
  size_t students = 0;
  /// Students who had it in an earlier file and have handed in another one, and those of them who
  /// pass the case now.
  size_t retried = 0, mended = 0;
};

struct CaseStatistics {
  std::string name;
  double max_points = 0;
  bool hidden = false;
  size_t students = 0;  ///< students whose kernels ran in an item of the case
  size_t passed = 0;    ///< students who passed all items
  double share = 0;     ///< mean share of the case's points
  /// Pearson's correlation of the share of this case with the points of all other cases: for a case
  /// that gives all or nothing the point-biserial correlation, corrected for the case's own part
  /// (Henrysson, Psychometrika 28, 1963). Nothing for fewer than kFewestStudents, or where one of
  /// them is the same for all.
  std::optional<double> correlation;
  /// Mean share among the 27 % with the most points, minus that of the 27 % with the fewest (Kelley,
  /// Journal of Educational Psychology 30, 1939). Of those with equal points at the border of a
  /// group each counts in part.
  std::optional<double> upper_lower;
  std::array<size_t, kGradeWords.size()> words = {};  ///< students, by kGradeWords
  size_t retried = 0, mended = 0;                     ///< the same of all failures
  std::vector<CommonFailure> failures;                ///< the commonest first
};

constexpr size_t kFewestStudents = 10;

struct ItemAnalysis {
  size_t ran = 0;
  size_t not_run = 0;                 ///< refused or not compiled: these say nothing of a case
  size_t not_graded = 0;              ///< errors of the grader
  std::vector<CaseStatistics> cases;  ///< in the assignment's order
};

/// `earlier` has results that others replaced, one of a student at most.
ItemAnalysis analyse_items(const std::vector<GradeResult>& results,
                           const std::vector<GradeResult>& earlier = {});

/// A row for each case: RFC 4180, without formulas, as grades_csv().
std::string items_csv(const ItemAnalysis& analysis);
/// The same as a part of a page, the hardest case first; "" for fewer than two students.
std::string items_table(const ItemAnalysis& analysis);

}  // namespace warpmark
