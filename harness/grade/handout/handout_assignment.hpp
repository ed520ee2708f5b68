// The assignment that students get: the visible cases, the rules, and nothing of the rest.
#pragma once

#include <string>

#include "grade/handout/handout_items.hpp"

namespace warpmark {

/// The name of the file with a HandoutStore, beside the assignment.
inline constexpr const char* kStoreFile = "handout.json";

/// The assignment's YAML without comments. Its headers lie beside it.
std::string handout_assignment_text(const Assignment& assignment, const HandoutItems& items);

}  // namespace warpmark
