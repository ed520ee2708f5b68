// Unrolls the steps of a suite at one point of its axes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "suite/case_amounts.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostSteps = 100'000;

class Unrolling {
 public:
  Unrolling(const Suite& suite, const Scope& scope, PositionMap& positions)
      : suite_(suite), values_{scope}, positions_(positions) {}

  StepsDocument unroll() {
    run(suite_.launch->steps);
    Json renamed = Json::array();
    for (const auto& [name, buffer] : holders_) {
      if (name != buffer) renamed.push_back({{"name", name}, {"buffer", buffer}});
    }
    return {std::move(steps_), std::move(renamed), std::move(swaps_), std::move(maps_)};
  }

 private:
  void run(const std::vector<SuiteStep>& steps) {
    for (const SuiteStep& step : steps) repeat(step);
  }

  void repeat(const SuiteStep& step) {
    if (!step.repeat) return once(step);
    const int64_t count = count_of(*step.repeat);
    const auto& index = step.repeat->index;
    const CaseScope outside = values_;
    const std::string rounds = rounds_;
    for (int64_t i = 0; i < count; ++i) {
      values_ = outside;
      if (index) {
        values_.scope.set(index->text, i);
        values_.indices.push_back({index->text, i, std::to_string(i)});
      }
      rounds_ = (rounds.empty() ? "" : rounds + ", ") +
                (index ? fmt::format("{} = {}", index->text, i)
                       : fmt::format("round {} of {}", i + 1, count));
      once(step);
    }
    values_ = outside;
    rounds_ = rounds;
  }

  int64_t count_of(const Repeat& repeat) const {
    const ArithmeticValue value = repeat.count.evaluate(values_.scope);
    const auto* whole = std::get_if<int64_t>(&value);
    if (whole != nullptr && *whole >= 0) return *whole;
    throw usage_error(fmt::format("`{}` is {}: a whole number, 0 or more, is needed",
                                  repeat.count.text(), to_text(value)),
                      repeat.count.where());
  }

  void once(const SuiteStep& step) {
    if (const auto* group = std::get_if<StepGroup>(&step.what)) {
      run(group->steps);
    } else {
      add(step);
    }
    if (step.swap) swap(*step.swap);
  }

  void swap(const StepSwap& swap) {
    const std::string& first = swap.first.text;
    const std::string& second = swap.second.text;
    std::swap(holder(first), holder(second));
    if (!swapped_.emplace(first, second).second) return;
    const std::string at = fmt::format("/swaps/{}", swaps_.size());
    positions_.set(at, swap.first.where);
    swaps_.push_back({{"first", first}, {"second", second}, {"at", at}});
  }

  void add(const SuiteStep& step) {
    if (steps_.size() == kMostSteps) {
      throw usage_error(fmt::format("a case has more than {} steps", kMostSteps), step.where);
    }
    at_ = fmt::format("/launch/{}", steps_.size());
    positions_.set(at_, step.where);
    if (const auto* launch = std::get_if<StepLaunch>(&step.what)) {
      steps_.push_back({{"launch", launch_document(*launch)}});
    } else if (const auto* copy = std::get_if<StepCopy>(&step.what)) {
      steps_.push_back(
          {{"copy",
            {{"from", holder(copy->from.text)}, {"to", holder(copy->to.text)}, {"at", at_}}}});
    } else {
      steps_.push_back({{"fill", fill_document(std::get<StepFill>(step.what))}});
    }
  }

  Json fill_document(const StepFill& fill) {
    const ArithmeticValue value = fill.byte.evaluate(values_.scope);
    const auto* byte = std::get_if<int64_t>(&value);
    if (byte == nullptr || *byte < 0 || *byte > 255) {
      throw usage_error(
          fmt::format("`{}` is {}: a byte, 0 to 255, is needed", fill.byte.text(), to_text(value)),
          fill.byte.where());
    }
    return {{"buffer", holder(fill.array.text)}, {"byte", *byte}, {"at", at_}};
  }

  Json launch_document(const StepLaunch& launch) {
    const EntryName& entry = launch.entry ? *launch.entry : *suite_.kernel.entry;
    positions_.set(at_ + "/entry", entry.where());
    Json json = {{"entry", entry.evaluate(values_.scope)}};
    json["name"] = launch.name ? launch.name->text : json["entry"].get<std::string>();
    if (!rounds_.empty()) json["round"] = rounds_;
    if (launch.file) {
      positions_.set(at_ + "/file", launch.file->where);
      json["file"] = launch.file->text;
    }
    json.update(geometry_document(launch.geometry, at_, values_, positions_));
    json["arguments"] = Json::array();
    if (!launch.arguments) {
      for (const Argument& argument : suite_.arguments) {
        json["arguments"].push_back(given(argument.name));
      }
      return json;
    }
    for (const StepArgument& argument : *launch.arguments) {
      const std::string pointer = fmt::format("{}/arguments/{}", at_, json["arguments"].size());
      json["arguments"].push_back(argument_document(argument, pointer));
    }
    return json;
  }

  Json argument_document(const StepArgument& argument, const std::string& pointer) {
    if (!argument.value) {
      if (argument.name.text.empty()) return {{"null", true}, {"at", pointer}};
      if (!argument.element) return given(argument.name.text);
      return {{"array", given(argument.name.text)},
              {"element", size_document(*argument.element, pointer, values_, positions_)},
              {"at", pointer}};
    }
    return {{"value", number_document(*argument.value, pointer, values_, positions_)},
            {"text", argument.value->text()},
            {"at", pointer}};
  }

  // Arrays, and what tensor maps describe, are given by the memory that has their names now.
  std::string given(const std::string& name) {
    for (const Argument& argument : suite_.arguments) {
      if (argument.name != name || !argument.tensor_map) continue;
      const std::string& array = argument.tensor_map->array.text;
      return given(array) == array ? name : moved(name, given(array));
    }
    const auto found = holders_.find(name);
    return found == holders_.end() ? name : found->second;
  }

  std::string moved(const std::string& map, const std::string& buffer) {
    std::string name = fmt::format("{} of {}", map, buffer);
    const bool known =
        std::ranges::any_of(maps_, [&](const MovedMap& one) { return one.name == name; });
    if (!known) maps_.push_back({name, map, buffer});
    return name;
  }

  std::string& holder(const std::string& name) {
    return holders_.try_emplace(name, name).first->second;
  }

  const Suite& suite_;
  CaseScope values_;
  PositionMap& positions_;
  std::string rounds_;                          ///< "round 3 of 10, k = 1"; "" outside of loops
  std::map<std::string, std::string> holders_;  ///< of arrays, by their names
  std::set<std::pair<std::string, std::string>> swapped_;
  std::string at_;
  Json steps_ = Json::array(), swaps_ = Json::array();
  std::vector<MovedMap> maps_;
};

}  // namespace

StepsDocument steps_document(const Suite& suite, const Scope& scope, PositionMap& positions) {
  return Unrolling(suite, scope, positions).unroll();
}

}  // namespace warpmark
