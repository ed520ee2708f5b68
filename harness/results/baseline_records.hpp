// A baseline of counters as JSON lines: its old form, and the form of its lines file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// True for a text whose first line is that of such a baseline.
bool is_baseline_records(std::string_view text);

/// Reads it (schema/baseline.json). Throws a usage error with file and line, also for a text that
/// is cut off.
BenchResult read_baseline_records(const std::filesystem::path& file, std::string_view text);

/// These cases of the result with all that is known of them, and a counter's value for each of the
/// names that is not 0 there.
std::string baseline_records_text(const BenchResult& result, const std::vector<std::string>& names,
                                  const std::vector<const BenchCase*>& cases);

/// schema/baseline.json.
nlohmann::ordered_json baseline_schema();

/// True for a line that a merge left in a file because both sides had changed it.
bool is_conflict_marker(std::string_view line);

}  // namespace warpmark
