#include "results/grade_credit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// A count of 0 against one that is not makes a ratio that JSON has no number for.
double number_or_infinite(const RecordField& record) {
  return record.plain() == "inf" ? std::numeric_limits<double>::infinity() : record.number();
}

}  // namespace

double degree_share(double share) {
  if (!(share > 0)) return 0;
  // 0.29 * 100 is a little less than 29.
  return std::floor(std::min(share, 1.0) * 100 + 1e-9) / 100;
}

double PerformanceRule::points(double ratio, double most) const {
  if (!(ratio >= 0)) return 0;
  if (!steps.empty()) {
    for (const PerformanceStep& step : steps) {
      if (ratio <= step.ratio) return std::clamp(step.points, 0.0, most);
    }
    return 0;
  }
  if (ratio <= full) return most;
  if (ratio >= zero) return 0;
  return most * std::clamp((zero - ratio) / (zero - full), 0.0, 1.0);
}

double count_ratio(double value, double baseline) {
  if (baseline > 0) return value / baseline;
  return value > 0 ? std::numeric_limits<double>::infinity() : 1;
}

Json to_json(const Degree& degree) {
  return {{"share", degree.share}, {"what", degree.what}};
}

Json to_json(const PerformanceRule& rule) {
  Json json = {{"by", rule.by_counters() ? "counters" : "gpu"}};
  if (rule.by_counters()) json["counters"] = rule.counters;
  if (rule.steps.empty()) {
    json["full"] = rule.full;
    json["zero"] = rule.zero;
    return json;
  }
  Json steps = Json::array();
  for (const PerformanceStep& step : rule.steps) {
    steps.push_back({{"ratio", step.ratio}, {"points", step.points}});
  }
  json["steps"] = std::move(steps);
  return json;
}

Json to_json(const Performance& performance) {
  Json json = {{"value", performance.value},
               {"baseline", performance.baseline},
               {"ratio", performance.ratio}};
  if (performance.rounds == 0) return json;
  json["median"] = performance.median;
  json["low"] = performance.low;
  json["high"] = performance.high;
  json["rounds"] = performance.rounds;
  return json;
}

Degree degree_of(const RecordField& record) {
  const RecordField share = record.member("share");
  if (!(share.number() >= 0 && share.number() <= 1)) throw share.wrong("must be from 0 to 1");
  return {share.number(), record.member("what").text()};
}

PerformanceRule performance_rule_of(const RecordField& record) {
  PerformanceRule rule;
  record.member("by");
  if (const auto counters = record.find("counters")) rule.counters = counters->texts();
  if (const auto steps = record.find("steps")) {
    for (const RecordField& step : steps->elements()) {
      rule.steps.push_back({step.member("ratio").number(), step.member("points").number()});
    }
    return rule;
  }
  rule.full = record.member("full").number();
  rule.zero = record.member("zero").number();
  return rule;
}

Performance performance_of(const RecordField& record) {
  Performance performance;
  performance.value = record.member("value").number();
  performance.baseline = record.member("baseline").number();
  performance.ratio = number_or_infinite(record.member("ratio"));
  const auto rounds = record.find("rounds");
  if (!rounds) return performance;
  if (rounds->integer() < 0) throw rounds->wrong("must not be negative");
  performance.rounds = static_cast<uint64_t>(rounds->integer());
  performance.median = record.member("median").number();
  performance.low = record.member("low").number();
  performance.high = record.member("high").number();
  return performance;
}

}  // namespace warpmark
