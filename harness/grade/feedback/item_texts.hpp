// The texts of a result about an item that lost its points: a sentence, and the details.
#pragma once

#include <string>

#include "grade/feedback/submitted_names.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/outcome.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// The known facts about the item, as pointers to objects of the caller.
struct ItemTexts {
  Interpreter* python = nullptr;
  const Suite* suite = nullptr;
  const PlannedCase* planned = nullptr;      ///< with the submission and all types
  const CaseArtifacts* artifacts = nullptr;  ///< of the run that failed, if there was one
  SubmittedNames file;                       ///< the submitted file, as the compiler calls it
  std::string source;                        ///< its text
};

/// A sentence or two for a beginner.
std::string explain_item(const Outcome& outcome, const ItemTexts& texts);

/// Several lines: the place in the submitted file, the first wrong element or the finding, the
/// number of elements that differ. Names no path of this machine, and no option of other commands.
std::string detail_of(const Outcome& outcome, const ItemTexts& texts);

/// Races that the device found, and samples of what it counted if a counter is why the case failed,
/// for pictures: places, threads and addresses, with the texts of the lines of the submitted file.
std::vector<nlohmann::ordered_json> evidence_of(const Outcome& outcome, const ItemTexts& texts);

}  // namespace warpmark
