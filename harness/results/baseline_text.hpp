// A baseline of counters as text that a person reviews: a line for each case and counter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// True for a text that begins as such a baseline.
bool is_baseline_text(std::string_view text);

/// A head of lines `KEY: VALUE` that says what the counts depend on and names the counters, an
/// empty line, a line `CASE COUNTER VALUE` for each counter of these cases that is not 0, sorted by
/// the counter within a case, and a last line `end`. Throws a usage error for names that have
/// blanks in them, as those of a damaged journal.
std::string baseline_text(const BenchResult& result, std::vector<std::string> names,
                          const std::vector<const BenchCase*>& cases);

/// Reads it. Throws a usage error with file, line and column, also for a text that is cut off:
/// a gate with a part of it would silently check less.
BenchResult read_baseline_text(const std::filesystem::path& file, std::string_view text);

}  // namespace warpmark
