#include "suite/race_exception.hpp"

#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

RaceException read_race_exception(const YamlNode& node) {
  const KeyedMap map(node, "`allow`", race_keys());
  return {map.at("race").content, map.text("race")->text, map.text("reason")->text};
}

}  // namespace

const std::vector<std::string>& race_warnings() {
  static const std::vector<std::string> kNames = {
      "order-by-barrier", "order-by-lane", "order-decides", "proxy-order", "warp-synchronous"};
  return kNames;
}

std::vector<RaceException> read_race_exceptions(const YamlNode& node) {
  std::vector<RaceException> rules;
  read_one_or_more(node, "`allow`",
                   [&](const YamlNode& rule) { rules.push_back(read_race_exception(rule)); });
  return rules;
}

}  // namespace warpmark
