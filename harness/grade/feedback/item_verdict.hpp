// Derives from an outcome the word that a student gets, and the blame.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/grade_result.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

enum class Blame : uint8_t {
  nobody,      ///< it passed
  submission,  ///< the submission's
  grader,      ///< the course's, the grader's or the machine's: costs no student a point
  doubtful     ///< the suite's own kernel decides: a failure that it shares is not the submission's
               ///< fault
};

struct ItemVerdict {
  GradeWord word = GradeWord::pass;
  Blame blame = Blame::nobody;
};

/// Returns the device's reports without warnings, the likeliest cause first: reports that ended the
/// launch come before findings, as a kernel that never ends, and races while it runs, meets a limit.
std::vector<nlohmann::ordered_json> weighed_reports(const Outcome& outcome);

/// Turns a pass into a failure if the check for races could not follow the launch to its end: who
/// fills what it keeps would else be without races.
void fail_unchecked(Outcome& outcome);

/// The warnings of an outcome, each once: "order-decides at line 7".
std::vector<std::string> warnings_of(const Outcome& outcome);

/// The device makes findings from the actions of a submission: unknown kinds, and missing members,
/// count as a memory error.
ItemVerdict judge_item(const Outcome& outcome);

/// How a failed outcome failed, where its word does not say it.
std::optional<FailedBy> failed_by(const Outcome& outcome);

/// True if a device ended a launch at its limit of instructions.
bool ended_by_instructions(const Outcome& outcome);

/// Notes in an outcome that the limit which ended it is so many times the instructions of the
/// suite's own kernel.
void note_own_limit(Outcome& outcome, uint64_t times);
/// The member of a report with that number.
inline constexpr const char* kTimesOwn = "times_own";

/// True if the suite's own kernel fails as a submission did, so that neither is to blame.
bool fails_alike(const Outcome& own, const Outcome& submitted);

/// The error and bound of the worst wrong element of a failed comparison.
struct ErrorAndBound {
  std::optional<double> error, bound;
};
ErrorAndBound worst_error(const Outcome& outcome);

}  // namespace warpmark
