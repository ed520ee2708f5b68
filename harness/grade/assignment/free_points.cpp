#include "grade/assignment/free_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "runtime/trivial_findings.hpp"

namespace warpmark {
namespace {

constexpr const char* kLooseHint =
    "the tolerance lets it: make it tighter, or the expected values larger";

// "wrote zeros or copied `x`".
template <typename Passes>
std::string words(const Passes& passes) {
  std::vector<std::string> all;
  for (const auto& one : passes) all.push_back(one.words);
  return join(all, " or ");
}

template <typename Passes>
bool by_tolerance(const Passes& passes) {
  return std::ranges::any_of(passes, [](const auto& one) { return one.by_tolerance; });
}

}  // namespace

bool FreePoints::Item::is_free() const {
  return std::ranges::all_of(outputs, [](const Output& one) { return !one.passes.empty(); });
}

double FreePoints::Item::free_degree() const {
  double least = 1;
  for (const Output& output : outputs) {
    if (!output.passes.empty()) continue;
    const auto found = std::ranges::find(shares, output.name, &AnswerShare::output);
    least = std::min(least, found == shares.end() ? 0 : degree_share(found->share));
  }
  return least;
}

void FreePoints::add(const AssignmentCase& one, const Case& item, const TrivialCheck& check,
                     const ForeseenCheck& foreseen, const TrivialMargin& margin) {
  Item added{&one, item.id, {}, {}};
  if (one.credit == Credit::degree && one.degree_of == DegreeOf::elements) {
    added.shares = margin.shares();
  }
  for (const TrivialCheck::Judged& judged : check.judged()) {
    added.outputs.push_back({judged.output, judged.fingerprint, judged.elements, {}});
  }
  for (const TrivialPass& pass : check.passes()) {
    for (Output& output : added.outputs) {
      if (output.name != pass.output) continue;
      output.passes.push_back({answer_words(pass, true), pass.by_tolerance, false, false});
    }
  }
  for (const ForeseenAnswer& answer : foreseen.answers()) {
    for (Output& output : added.outputs) {
      if (output.name != answer.output) continue;
      // One answer is enough, unless the new one is the first that passes by the tolerance only.
      const bool looser = answer.by_tolerance && !by_tolerance(output.passes);
      if (!output.passes.empty() && !looser) continue;
      output.passes.push_back({answer.words, answer.by_tolerance, false, answer.never_changes});
    }
  }
  items_.push_back(std::move(added));
}

// An item's expected values, left in memory, are an answer to another item, too. Single elements
// are left out, since they are equal by chance.
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
      const TrivialPass stale{output.name, TrivialAnswer::stale, other, false, output.elements};
      output.passes.push_back({answer_words(stale, true), false, true, false});
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
  std::vector<Pass> all;
  for (const Output& output : item.outputs) {
    did.push_back(words(output.passes) +
                  (item.outputs.size() > 1 ? fmt::format(" as `{}`", output.name) : ""));
    all.insert(all.end(), output.passes.begin(), output.passes.end());
  }
  const bool single =
      std::ranges::all_of(item.outputs, [](const Output& output) { return output.elements == 1; });
  std::string hint = "choose inputs that lead to another answer; `rng` does";
  if (by_tolerance(all)) {
    hint = kLooseHint;
  } else if (std::ranges::any_of(all, [](const Pass& pass) { return pass.stale; })) {
    hint = "give each case different inputs: `rng` does";
  } else if (std::ranges::any_of(all, [](const Pass& pass) { return pass.never_changes; })) {
    hint = "every student and every trial gets the same numbers: let `rng` make the inputs";
  } else if (single || one.credit != Credit::all) {
    hint = one.credit != Credit::all
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

Error FreePoints::scored_by_degree(const AssignmentCase& one,
                                   const std::vector<const Item*>& free) {
  const Item& item = *free.front();
  double shares = 0;
  for (const Item* each : free) shares += each->free_degree();
  std::vector<std::string> did;
  for (const AnswerShare& share : item.shares) {
    did.push_back(fmt::format("{} as `{}`", share.answer, share.output));
  }
  const size_t others = free.size() - 1;
  const double degree = item.free_degree();
  return usage_error(
      fmt::format(
          "a kernel that leaves {} has {:.0f} % of {}{}, and gets {:.4g} of the {:.4g} points "
          "of `{}`",
          join(did, " and "), degree * 100, item.id,
          others == 0 ? "" : fmt::format(" and a part of {} more", others),
          one.points * shares / static_cast<double>(one.items.size()), one.points, one.name),
      one.where,
      fmt::format("let `credit` count `from` more than {:.4g}, or choose inputs that lead to other "
                  "answers",
                  degree));
}

Error FreePoints::loose(const Item& item, const Output& output) {
  std::vector<Pass> passes = output.passes;
  std::erase_if(passes, [](const Pass& pass) { return !pass.by_tolerance; });
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
        one.credit != Credit::all ? !free.empty() : !all.empty() && free.size() == all.size();
    if (scores) {
      found.push_back(scored(one, free));
      continue;
    }
    std::vector<const Item*> in_part;
    for (const Item* item : all) {
      const double degree = item->shares.empty() ? 0 : item->free_degree();
      if (degree > 0 && degree >= one.from) in_part.push_back(item);
    }
    if (!in_part.empty()) {
      found.push_back(scored_by_degree(one, in_part));
      continue;
    }
    for (const Item* item : all) {
      const auto output = std::ranges::find_if(
          item->outputs, [](const Output& o) { return by_tolerance(o.passes); });
      if (output == item->outputs.end()) continue;
      found.push_back(loose(*item, *output));  // the first answer of one case is enough
      break;
    }
  }
  return found;
}

}  // namespace warpmark
