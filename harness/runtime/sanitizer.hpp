// compute-sanitizer: finding it, and running a worker under it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpmark {

/// One of compute-sanitizer's tools; a run uses one.
struct Sanitizer {
  std::string program;  ///< compute-sanitizer's file
  std::string tool;     ///< of sanitizer_tools()
};

/// "memcheck", "racecheck", "initcheck", "synccheck".
const std::vector<std::string>& sanitizer_tools();

/// The program: in `bin` or `compute-sanitizer` below WARPMARK_CUDA_HOME, else in PATH, else below
/// /usr/local/cuda. Nothing if there is none.
std::optional<std::string> find_compute_sanitizer();

/// The words that start `program` with its arguments behind them under the sanitizer, whose text
/// goes to `log`.
std::vector<std::string> sanitizer_command(const Sanitizer& sanitizer,
                                           const std::filesystem::path& log,
                                           const std::string& program);

}  // namespace warpmark
