#include "runtime/illustration.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/line_texts.hpp"
#include "runtime/requests.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

bool is_race(const Json& report) {
  return report.is_object() && report.contains("kind") && report["kind"] == "race";
}

}  // namespace

void illustrate(const Case& which, const PlannedCase& planned, const std::vector<Json>& launches,
                bool lines, Outcome& outcome) {
  if (outcome.failure == FailureKind::counter && outcome.counters.empty()) {
    for (const Json& launch : launches) {
      if (!launch.is_object() || !launch.contains("samples")) continue;
      outcome.counters.push_back(
          {{"kernel", launch.value("kernel", "")}, {"samples", launch["samples"]}});
    }
  }
  if (!lines || (std::ranges::none_of(outcome.findings, is_race) && outcome.counters.empty()))
    return;
  std::vector<SourceText> sources;
  try {
    for (const protocol::UnitText& unit : prepare_request(*which.suite, planned).units) {
      std::ranges::move(
          source_texts({unit.name, unit.source, "", "", "", unit.origin, unit.regions}),
          std::back_inserter(sources));
    }
  } catch (const Error&) {  // the file has gone since
  }
  for (Json& report : outcome.findings) {
    if (is_race(report)) add_line_texts(report, sources);
  }
  for (Json& launch : outcome.counters) {
    if (launch.is_object() && launch.contains("samples"))
      add_line_texts(launch["samples"], sources);
  }
}

}  // namespace warpmark
