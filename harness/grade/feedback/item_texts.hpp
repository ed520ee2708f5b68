// What a result says of an item that lost its points: a sentence, and the details behind it.
#pragma once

#include <string>

#include "grade/feedback/submitted_names.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/outcome.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// What is known of the item. Points to what the caller holds.
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

/// Several lines: the place in the submitted file, the first wrong element or the finding, how many
/// differ. Names no path of this machine, and no option of other commands.
std::string detail_of(const Outcome& outcome, const ItemTexts& texts);

}  // namespace warpmark
