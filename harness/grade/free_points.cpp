#include "grade/free_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "runtime/trivial_findings.hpp"

namespace warpmark {
namespace {

bool has(const std::vector<TrivialPass>& passes, TrivialAnswer answer) {
  return std::any_of(passes.begin(), passes.end(),
                     [&](const TrivialPass& one) { return one.answer == answer; });
}

bool by_tolerance(const std::vector<TrivialPass>& passes) {
  return std::any_of(passes.begin(), passes.end(),
                     [](const TrivialPass& one) { return one.by_tolerance; });
}

// "wrote zeros or copied `x`".
std::string words(const std::vector<TrivialPass>& passes) {
  std::vector<std::string> all;
  all.reserve(passes.size());
  for (const TrivialPass& one : passes) all.push_back(answer_words(one, true));
  return join(all, " or ");
}

constexpr const char* kLooseHint =
    "the tolerance lets it: make it tighter, or the expected values larger";

}  // namespace

bool FreePoints::Item::is_free() const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const Output& one) { return !one.passes.empty(); });
}

void FreePoints::add(const AssignmentCase& one, const Case& item, const TrivialCheck& check) {
  Item added{&one, item.id, {}};
  for (const TrivialCheck::Judged& judged : check.judged()) {
    added.outputs.push_back({judged.output, judged.fingerprint, judged.elements, {}});
  }
  for (const TrivialPass& pass : check.passes()) {
    for (Output& output : added.outputs) {
      if (output.name == pass.output) output.passes.push_back(pass);
    }
  }
  items_.push_back(std::move(added));
}

// What another item expects, left in memory, is an answer, too. Single elements meet by chance.
std::vector<FreePoints::Item> FreePoints::with_stale() const {
  std::map<std::pair<std::string, uint64_t>, std::vector<std::string>> same;
  for (const Item& item : items_) {
    for (const Output& output : item.outputs) {
      same[{output.name, output.fingerprint}].push_back(item.id);
    }
  }
  std::vector<Item> items = items_;
  for (Item& item : items) {
    for (Output& output : item.outputs) {
      const std::vector<std::string>& ids = same[{output.name, output.fingerprint}];
      if (output.elements == 1 || ids.size() == 1 || !output.passes.empty()) continue;
      const std::string& other = ids.front() == item.id ? ids.back() : ids.front();
      output.passes.push_back({output.name, TrivialAnswer::stale, other, false, output.elements});
    }
  }
  return items;
}

Error FreePoints::scored(const AssignmentCase& one, const std::vector<const Item*>& free) {
  const Item& item = *free.front();
  const double points = one.credit == Credit::all ? one.points
                                                  : one.points * static_cast<double>(free.size()) /
                                                        static_cast<double>(one.items.size());
  if (item.outputs.empty()) {
    return usage_error(
        fmt::format("any kernel gets {:.4g} of the {:.4g} points of `{}`: no output is compared",
                    points, one.points, one.name),
        one.where, "give the suite a `reference`, or the case other items");
  }
  std::vector<std::string> did;
  std::vector<TrivialPass> all;
  for (const Output& output : item.outputs) {
    did.push_back(words(output.passes) +
                  (item.outputs.size() > 1 ? fmt::format(" as `{}`", output.name) : ""));
    all.insert(all.end(), output.passes.begin(), output.passes.end());
  }
  const bool single = std::all_of(item.outputs.begin(), item.outputs.end(),
                                  [](const Output& output) { return output.elements == 1; });
  std::string hint = "choose inputs that lead to another answer; `rng` does";
  if (by_tolerance(all)) {
    hint = kLooseHint;
  } else if (has(all, TrivialAnswer::stale)) {
    hint = "give each case inputs of its own: `rng` does";
  } else if (single || one.credit == Credit::each) {
    hint = one.credit == Credit::each
               ? "use `credit: all`, or other values of the axes: an easy size then earns nothing "
                 "alone"
               : "put a further size into the case: with `credit: all` an easy one then earns "
                 "nothing alone";
  }
  const size_t others = free.size() - 1;
  return usage_error(fmt::format("a kernel that {} gets {:.4g} of the {:.4g} points of `{}`: {}{}",
                                 join(did, " and "), points, one.points, one.name, item.id,
                                 others == 0 ? "" : fmt::format(" and {} more", others)),
                     one.where, hint);
}

Error FreePoints::loose(const Item& item, const Output& output) {
  std::vector<TrivialPass> passes = output.passes;
  std::erase_if(passes, [](const TrivialPass& pass) { return !pass.by_tolerance; });
  return usage_error(fmt::format("in `{}`, `{}` of {} would pass if the kernel {}",
                                 item.owner->name, output.name, item.id, words(passes)),
                     item.owner->where, kLooseHint);
}

std::vector<Error> FreePoints::problems() const {
  const std::vector<Item> items = with_stale();
  std::vector<Error> found;
  for (const AssignmentCase& one : assignment_.cases) {
    std::vector<const Item*> all, free;
    for (const Item& item : items) {
      if (item.owner != &one) continue;
      all.push_back(&item);
      if (item.is_free()) free.push_back(&item);
    }
    const bool scores =
        one.credit == Credit::each ? !free.empty() : !all.empty() && free.size() == all.size();
    if (scores) {
      found.push_back(scored(one, free));
      continue;
    }
    for (const Item* item : all) {
      const auto output = std::find_if(item->outputs.begin(), item->outputs.end(),
                                       [](const Output& o) { return by_tolerance(o.passes); });
      if (output == item->outputs.end()) continue;
      found.push_back(loose(*item, *output));  // of one case the first is enough
      break;
    }
  }
  return found;
}

}  // namespace warpmark
