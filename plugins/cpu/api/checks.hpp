// The names by which checks are chosen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/state.hpp"

namespace warpmark::cpu {

/// For errors: all names but "all" and "none".
inline constexpr const char* kCheckNames =
    "memory"
#define CHECK(name, kind, word, places) ", " #name
#include "warpmark/checks.def"
    ", leak";

/// Sets what is looked for: of kCheckNames; no name is nothing beyond staying inside the arena.
/// Returns the first name that is none of these, or "" and sets them.
std::string choose_checks(const std::vector<std::string>& names, Limits& limits);

/// The same from a text such as "memory,race", "all" or "none".
std::string choose_checks(std::string_view text, Limits& limits);

}  // namespace warpmark::cpu
