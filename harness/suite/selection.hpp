// Which cases a command line asks for.
#pragma once

#include <string>
#include <vector>

#include "suite/case.hpp"

namespace warpmark {

/// The cases with those ids, literally and in the order of `all`; all of them for no ids. Throws a
/// usage error for an id that no case has, with the nearest one as hint.
std::vector<Case> select_cases(std::vector<Case> all, const std::vector<std::string>& ids);

/// The hint for an expression that holds for no case: the word that is in none of the ids, and
/// the part of an id that is nearest to it; "" if every word is in some id.
std::string nearest_part(const std::vector<std::string>& words,
                         const std::vector<std::string>& ids);

}  // namespace warpmark
