#include "grade/handout/handout_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The values that items have on each axis, in the order of their first use.
std::vector<Axis> used_axes(const Suite& suite, const std::vector<const Case*>& items, bool zips) {
  std::vector<Axis> axes = suite.axes;
  for (Axis& axis : axes) {
    axis.values.clear();
    axis.python.reset();
    if (!zips) axis.zip.reset();
    std::set<std::string> labels;
    for (const Case* item : items) {
      for (const PointValue& value : item->point) {
        if (value.name != axis.name || !labels.insert(value.label).second) continue;
        const bool says_itself = id_text(value.value) == value.label;
        axis.values.push_back({{}, value.value, says_itself ? "" : value.label});
      }
    }
  }
  return axes;
}

// The ids of a suite's cases with these axes, in order; nothing if they do not fit each other.
std::optional<std::vector<std::string>> ids_with(const Suite& suite,
                                                 const std::vector<Axis>& axes) {
  auto changed = std::make_shared<Suite>(suite);
  changed->axes = axes;
  changed->cases.clear();
  std::vector<std::string> ids;
  try {
    for (const Case& one : cases(changed)) ids.push_back(one.id);
  } catch (const Error&) {
    return std::nullopt;
  }
  return ids;
}

std::vector<std::string> ids_of(const std::vector<const Case*>& items) {
  std::vector<std::string> ids;
  ids.reserve(items.size());
  for (const Case* item : items) ids.push_back(item->id);
  return ids;
}

// Selects exactly these ids of all that the axes make: a word with a star must fit the whole id.
std::string selection(const std::vector<std::string>& ids) {
  std::vector<std::string> words;
  words.reserve(ids.size());
  for (const std::string& id : ids) words.push_back("*" + id);
  return join(words, " or ");
}

// The axes and `where` of one case; nothing if they cannot be expressed with these zips.
std::optional<HandoutCase> describe(const Suite& suite, const std::vector<const Case*>& items,
                                    bool zips) {
  HandoutCase one;
  one.axes = used_axes(suite, items, zips);
  const auto made = ids_with(suite, one.axes);
  if (!made) return std::nullopt;
  const std::vector<std::string> wanted = ids_of(items);
  if (*made == wanted) return one;
  const std::set<std::string> all(made->begin(), made->end());
  const bool has_all =
      std::ranges::all_of(wanted, [&](const std::string& id) { return all.contains(id); });
  if (!has_all) return std::nullopt;
  if (all.size() > wanted.size()) one.where = selection(wanted);
  return one;
}

fs::path place_of(const std::string& suite) {
  std::string name = suite;
  std::ranges::replace(name, '~', '-');
  const fs::path place = "suites/" + name;
  // "suite.yaml" would get the name of its folder.
  return place.filename() == "suite" ? place / "suite.yaml" : fs::path(place.string() + ".yaml");
}

std::vector<const Case*> pointers(const AssignmentCase& one) {
  std::vector<const Case*> items;
  for (const Case& item : one.items) items.push_back(&item);
  return items;
}

void add_case(const Assignment& assignment, size_t index, HandoutItems& into) {
  const AssignmentCase& one = assignment.cases[index];
  const fs::path& file = one.items.front().suite->file;
  auto found = std::ranges::find_if(
      into.suites, [&](const HandoutSuite& other) { return other.suite->file == file; });
  if (found == into.suites.end()) {
    const auto loaded = std::ranges::find_if(
        assignment.suites, [&](const auto& suite) { return suite->file == file; });
    into.suites.push_back({*loaded, place_of((*loaded)->name), {}, {}});
    found = into.suites.end() - 1;
  }
  for (const Case& item : one.items) found->items.push_back(&item);
  HandoutCase made;
  made.index = index;
  made.suite = static_cast<size_t>(found - into.suites.begin());
  into.cases.push_back(std::move(made));
}

// Axes of the suite and of its cases: with its zips, if they can be kept.
void describe_suite(const Assignment& assignment, size_t suite, HandoutItems& into) {
  HandoutSuite& one = into.suites[suite];
  for (const bool zips : {true, false}) {
    bool fits = true;
    for (HandoutCase& each : into.cases) {
      if (each.suite != suite || !fits) continue;
      auto described = describe(*one.suite, pointers(assignment.cases[each.index]), zips);
      fits = described.has_value();
      if (!fits) continue;
      each.axes = std::move(described->axes);
      each.where = std::move(described->where);
    }
    if (!fits) continue;
    one.axes = used_axes(*one.suite, one.items, zips);
    // Zipped lists of several cases may be of several lengths: those of one case fit.
    if (ids_with(*one.suite, one.axes)) return;
    const auto first = std::ranges::find(into.cases, suite, &HandoutCase::suite);
    one.axes = first->axes;
    return;
  }
  throw usage_error(
      fmt::format("the cases of `{}` cannot be written down by their axes", one.suite->name), {},
      "give the visible cases `axes`");
}

}  // namespace

HandoutItems handout_items(const Assignment& assignment) {
  HandoutItems made;
  for (size_t i = 0; i < assignment.cases.size(); ++i) {
    if (assignment.cases[i].visibility == Visibility::visible) add_case(assignment, i, made);
  }
  if (made.cases.empty()) {
    throw usage_error("all cases of the assignment are hidden: there is nothing to hand out",
                      assignment.where, "a visible case shows students what they may try");
  }
  for (size_t i = 0; i < made.suites.size(); ++i) describe_suite(assignment, i, made);
  return made;
}

}  // namespace warpmark
