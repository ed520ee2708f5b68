// The context of Google Benchmark's JSON: what its own tools read, and where the figures come from.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "bench/bench.hpp"

namespace warpmark {

/// Date, executable and processors as Google Benchmark writes them (without the machine's name),
/// then device, driver, NVRTC, host, git, ceilings, and a SHA-256 of each suite's file: null for
/// one that cannot be read any more.
nlohmann::ordered_json benchmark_context(const RunContext& context,
                                         const std::vector<BenchWork>& work);

/// Adds the device's clocks, where they are known.
void add_clocks(nlohmann::ordered_json& context, const DeviceState& state);

}  // namespace warpmark
