// Grades in words, the same for console, Gradescope, JUnit and pages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/grade_result.hpp"

namespace warpmark {

/// True if the result's points count: they do not if the grader is to blame.
bool has_points(const GradeResult& result);

/// "6.67 of 20 points"; "not graded" without points.
std::string total_text(const GradeResult& result);
/// A line for the points of the cases and one for each adjustment, which add up to the total; none
/// without adjustments.
std::vector<std::string> adjustment_texts(const GradeResult& result);

/// The title of a state: "does not compile".
std::string_view state_title(GradeState state);

/// The result's message; without one, the meaning of its state for the student. "" if graded.
std::string message_text(const GradeResult& result);

/// The meaning of a word, in a sentence: "Two threads …".
std::string_view word_text(GradeWord word);

/// One character for maps of many: '.' for a pass, "wmrbl" and '-' for not launched.
char word_letter(GradeWord word);

/// The place of an item: its case, and the number of trials it passed before the failing one.
std::string place_text(const GradedItem& item);

/// A finding's text without the parts that only count, or name threads.
std::string_view first_sentence(std::string_view text);
/// Why an item failed, without numbers but those of lines. Wrong values have one cause only if
/// their whole texts are equal; a finding of a device is identified by its kind, line and array.
std::string cause_text(const GradedItem& item);

/// True if two items failed in the same way, apart from numbers: one mistake.
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

/// In the order of reports.
constexpr std::array<GradeWord, 7> kGradeWords = {
    GradeWord::pass,    GradeWord::wrong, GradeWord::memory_error, GradeWord::race,
    GradeWord::barrier, GradeWord::limit, GradeWord::not_launched};

/// One paragraph of why a case lost points.
struct LostPart {
  enum class Kind : uint8_t {
    why,        ///< what happened, in sentences
    detail,     ///< lines for those who want to know more
    reproduce,  ///< a command
    facts,      ///< for staff: trials, times, errors and bounds
    note        ///< for staff: the grader's
  };
  Kind kind = Kind::why;
  std::string text;
  std::string place = "";  ///< the item that it happened in; "" if the text says that, too
};

/// The part as plain text: "PLACE: …", "reproduce: COMMAND".
std::string plain_text(const LostPart& part);

/// The failure of each item, its details and the command that repeats it, once for items that fail
/// in the same way, in earlier cases, too; with `for_staff` also what only staff may know.
std::vector<LostPart> item_parts(const GradeResult& result, const GradedCase& one,
                                 bool for_staff = false);

/// Why a case lost points: item_parts(), or without any the meaning of its word; then the hint, if anything ran. Nothing for a pass. Where the
/// whole submission could not be graded its message says why, not its cases.
std::vector<LostPart> lost_parts(const GradeResult& result, const GradedCase& one, GradeWord word);

/// The same as lines of plain text, without a newline at the end; all but `why` are indented
/// further.
std::string lost_text(const GradeResult& result, const GradedCase& one, GradeWord word);

/// The names of all cases of all results, in the order in which they come first.
std::vector<std::string> case_names(const std::vector<GradeResult>& results);
/// The result's case of that name; null if it has none.
const GradedCase* find_case(const GradeResult& result, const std::string& name);

/// The totals of a class, over the results that have points.
struct ClassTotals {
  size_t submissions = 0;  ///< all submissions
  size_t graded = 0;       ///< with points
  size_t full = 0;         ///< with all points
  double max_points = 0;   ///< maximum points of the assignment
  double mean = 0, median = 0;
};
ClassTotals class_totals(const std::vector<GradeResult>& results);

/// "8 submissions: 1 with full points, median 3.33, mean 4.44 of 20 points; 2 not graded".
std::string totals_text(const ClassTotals& totals);

}  // namespace warpmark
