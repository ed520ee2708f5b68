// Counters by line of a kernel's source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "results/bench_result.hpp"
#include "runtime/line_texts.hpp"
#include "worker/counters.hpp"

namespace warpmark {

/// The headers of the plan's units that are not the toolkit's, each by its path from the suite's
/// folder, and by the name in its directive if that is another. Throws if a file cannot be read.
std::vector<SourceText> header_texts(const Plan& plan, const std::filesystem::path& folder);

/// Counters by file, as PTX names it, and line.
using LineCounters = std::map<std::string, std::map<int64_t, CounterSums>>;

/// Counters of all launches of a case (warpmark/device.h). The input may be untrusted: parts that
/// make no sense are left out.
LineCounters line_counters(const std::vector<nlohmann::ordered_json>& launches);

/// The same as lines with their texts, by file and number, with the counters that are among `names`
/// and not 0; lines without counters are left out.
std::vector<CountedLine> counted_lines(const std::vector<nlohmann::ordered_json>& launches,
                                       const std::vector<SourceText>& sources,
                                       const std::vector<std::string>& names);

}  // namespace warpmark
