// The lines and branches of device code that were executed, over any number of launches.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace warpmark {

/// The set of counters of a device that gives coverage (warpmark/device.h).
inline constexpr std::string_view kCoverageCounters = "coverage";

/// Counts are of threads. All is ordered by name and number, so that the sum of several depends on
/// no order in which they came.
struct Coverage {
  struct Line {
    uint64_t count = 0;
    /// The line's branches: how many threads went on at which line; 0 is one of another function.
    std::map<int64_t, uint64_t> branches;
  };
  struct Function {
    int64_t line = 0;
    uint64_t count = 0;
  };
  struct File {
    std::map<int64_t, Line> lines;
    std::map<std::string, Function> functions;
  };
  std::map<std::string, File> files;
  /// Lines that belong to no text of a suite: the toolkit's headers, and code that a plugin wrote.
  std::map<std::string, std::set<int64_t>> left_out;
  std::set<std::string> without_lines;  ///< kernels without line information

  bool empty() const { return files.empty() && left_out.empty() && without_lines.empty(); }
  void add(const Coverage& other);
  /// Adds what a device says of one text, or what json() made. It may be a stranger's: parts that
  /// make no sense are left out.
  void add(const nlohmann::ordered_json& record);
  nlohmann::ordered_json json() const;
};

}  // namespace warpmark
