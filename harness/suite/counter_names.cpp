// The counters that suites may name: those of the CPU device, and three that are made of them.
#include <algorithm>
#include <string_view>

#include "suite/suite.hpp"

namespace warpmark {
namespace {

/// NAME_MEASURE for each of the `measures`, "requests, bytes"; and the conflicts of banks.
void add_kind(std::vector<std::string>& names, const std::string& name, std::string_view measures) {
  while (!measures.empty()) {
    const std::string_view measure = measures.substr(0, measures.find(','));
    names.push_back(name + "_" + std::string(measure));
    if (measure == "wavefronts") names.push_back(name + "_conflicts");
    measures.remove_prefix(std::min(measures.size(), measure.size() + 2));
  }
}

}  // namespace

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
#define LAUNCH(name) names.emplace_back(#name);
#define GREATEST(name) names.emplace_back(#name);
#define COUNTER(name, unit) names.emplace_back(#name);
#define CLASS(name)                                        \
  names.emplace_back("ptx_" #name "_thread_instructions"); \
  names.emplace_back("ptx_" #name "_warp_instructions");
#define KIND(name, ...) add_kind(names, #name, #__VA_ARGS__);
#include "warpmark/counters.def"
    names.emplace_back("moved_sectors");
    names.emplace_back("occupancy");
    return names;
  }();
  return kNames;
}

}  // namespace warpmark
