// From an outcome to the word that a student gets, and to whose fault it is.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "results/grade_result.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

enum class Blame : uint8_t {
  nobody,      ///< it passed
  submission,  ///< the submission's
  grader,      ///< the course's, the grader's or the machine's: costs nobody a point
  doubtful     ///< the suite's own kernel decides: what it shares is not the submission's fault
};

struct ItemVerdict {
  GradeWord word = GradeWord::pass;
  Blame blame = Blame::nobody;
};

/// The device's reports less warnings, those of what ended the launch before those of what was
/// found in it: a kernel that never ends, and races while it runs, meets a limit.
std::vector<nlohmann::ordered_json> weighed_reports(const Outcome& outcome);

/// Findings are made by the device from what a submission did: kinds that are not known, and
/// members that are missing, count as a memory error.
ItemVerdict judge_item(const Outcome& outcome);

/// Whether the suite's own kernel fails as a submission did, so that neither is to blame.
bool fails_alike(const Outcome& own, const Outcome& submitted);

/// Of the worst wrong element of a comparison that failed.
struct ErrorAndBound {
  std::optional<double> error, bound;
};
ErrorAndBound worst_error(const Outcome& outcome);

}  // namespace warpmark
