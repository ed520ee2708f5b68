#include "suite/selection.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {

std::vector<Case> select_cases(std::vector<Case> all, const std::vector<std::string>& ids) {
  if (ids.empty()) return all;
  std::set<std::string> wanted(ids.begin(), ids.end());
  std::set<std::string> missing = wanted;
  std::vector<Case> selected;
  std::vector<std::string> known;
  for (Case& candidate : all) {
    known.push_back(candidate.id);
    if (wanted.count(candidate.id) == 0) continue;
    missing.erase(candidate.id);
    selected.push_back(std::move(candidate));
  }
  if (missing.empty()) return selected;
  const std::string near = nearest(*missing.begin(), known);
  throw usage_error(
      fmt::format("no case is called `{}`", printable(*missing.begin())), {},
      near.empty() ? "`warpmark list` prints the ids" : fmt::format("did you mean `{}`?", near));
}

}  // namespace warpmark
