#include "suite/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

namespace {

// Adds the parts of an id that people type: each part alone, and suites with their folders.
void add_parts(const std::string& id, std::set<std::string>& parts) {
  const size_t dot = id.find('.');
  parts.insert(id.substr(0, dot));
  size_t begin = 0;
  for (size_t at = 0; at <= id.size(); ++at) {
    if (at < id.size() && std::string_view("/,").find(id[at]) == std::string_view::npos &&
        at != dot) {
      continue;
    }
    if (at > begin) {
      const std::string part = id.substr(begin, at - begin);
      parts.insert(part);
      if (const size_t equals = part.find('='); equals != std::string::npos) {
        parts.insert(part.substr(0, equals));
        parts.insert(part.substr(equals + 1));
      }
    }
    begin = at + 1;
  }
}

}  // namespace

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

std::string nearest_part(const std::vector<std::string>& words,
                         const std::vector<std::string>& ids) {
  std::set<std::string> parts;
  for (const std::string& id : ids) add_parts(id, parts);
  const std::vector<std::string> known(parts.begin(), parts.end());
  for (const std::string& word : words) {
    if (word.find('*') != std::string::npos) continue;
    const SelectExpression alone = SelectExpression::parse(word, "");
    if (std::ranges::any_of(ids, [&](const std::string& id) { return alone.matches(id); })) {
      continue;
    }
    const std::string near = nearest(word, known);
    if (near.empty()) return fmt::format("no case id has `{}`", word);
    return fmt::format("no case id has `{}`; did you mean `{}`?", word, near);
  }
  return "";
}

}  // namespace warpmark
