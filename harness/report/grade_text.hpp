// Grades in words, the same for console, Gradescope, JUnit and pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// Whether its points count: they do not where the grader is to blame.
bool has_points(const GradeResult& result);

/// "6.67 of 20 points"; "not graded" without points.
std::string total_text(const GradeResult& result);
/// A line for the points of the cases and one for each adjustment, of which the total is the sum;
/// none where there is none.
std::vector<std::string> adjustment_texts(const GradeResult& result);

/// What a state is called: "does not compile".
std::string_view state_title(GradeState state);

/// The result's message; without one what its state means, for the student. "" if graded.
std::string message_text(const GradeResult& result);

/// What a word means, in a sentence: "Two threads …".
std::string_view word_text(GradeWord word);

/// One character for maps of many: '.' for a pass, "wmrbl" and '-' for not launched.
char word_letter(GradeWord word);

/// Where an item stands: its case, and how many trials it passed before the one that it did not.
std::string place_text(const GradedItem& item);

/// Without what only counts, or names threads: the rest of what a device has found.
std::string_view first_sentence(std::string_view text);
/// Why an item failed, without numbers but those of lines. Wrong values have one cause only if all
/// that is said of them is the same; what a device has found is known by its kind, line and array.
std::string cause_text(const GradedItem& item);

/// Whether two items that failed did so in the same way, but for numbers: one mistake.
bool repeats(const GradedItem& earlier, const GradedItem& next);

/// An earlier item that failed in the same way, and its case; null if there is none.
struct EarlierItem {
  const GradedCase* owner = nullptr;
  const GradedItem* item = nullptr;
};
/// The first such item before `item`, in the order of cases; `case_name` names the item's case.
EarlierItem same_before(const GradeResult& result, std::string_view case_name,
                        const GradedItem& item);

/// "saxpy.n=100, saxpy.n=257: the same as saxpy.n=32 of `one warp`."
std::string again_text(const GradedCase& one, const EarlierItem& earlier,
                       const std::vector<const GradedItem*>& items);

/// One paragraph of why a case lost points.
struct LostPart {
  enum class Kind : uint8_t {
    why,       ///< where and what, in sentences
    detail,    ///< lines for those who want to know more
    reproduce  ///< "reproduce: COMMAND"
  };
  Kind kind = Kind::why;
  std::string text;
};

/// Why a case lost points: of each item that failed what happened, its details and the command that
/// repeats it, once for items that fail in the same way, in earlier cases, too; of a case without
/// items what its word means; then the hint, if anything ran. Nothing for a pass. Where the whole
/// submission could not be graded its message says why, not its cases.
std::vector<LostPart> lost_parts(const GradeResult& result, const GradedCase& one, GradeWord word);

/// The same as lines of plain text, without a newline at the end; all but `why` stand further in.
std::string lost_text(const GradeResult& result, const GradedCase& one, GradeWord word);

/// The names of all cases of all results, in the order in which they come first.
std::vector<std::string> case_names(const std::vector<GradeResult>& results);
/// The result's case of that name; null if it has none.
const GradedCase* find_case(const GradeResult& result, const std::string& name);

/// How a class did; of the results that have points.
struct ClassTotals {
  size_t submissions = 0;  ///< all of them
  size_t graded = 0;       ///< with points
  size_t full = 0;         ///< with all points
  double max_points = 0;   ///< of the assignment
  double mean = 0, median = 0;
};
ClassTotals class_totals(const std::vector<GradeResult>& results);

/// "8 submissions: 1 with full points, median 3.33, mean 4.44 of 20 points; 2 not graded".
std::string totals_text(const ClassTotals& totals);

}  // namespace warpmark
