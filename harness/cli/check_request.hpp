// What a check is asked to do, by options or by a run configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/output.hpp"
#include "runtime/session.hpp"

namespace warpmark {

struct CheckRequest {
  std::vector<std::filesystem::path> paths;  ///< as suite_files takes them
  std::vector<std::string> case_ids;         ///< literal; empty for all
  SessionOptions session;
  std::filesystem::path journal;     ///< "" for none
  std::filesystem::path junit;       ///< "" for none
  bool skip_without_device = false;  ///< ExitCode::skipped where the device is not there
  bool device_given = false;         ///< for the command that repeats a case
  bool seed_given = false;
};

/// Runs the cases of a request. Throws a usage error for what cannot be loaded or selected, before
/// any case runs.
ExitCode check(const CheckRequest& request, Output& out);

/// A seed: a whole number from 0 to 2^64 - 1, in decimal. `what` is how the error calls it.
uint64_t parse_seed(std::string_view text, const std::string& what, const Position& where = {});
/// A time limit in seconds: a finite number above 0.
double parse_timeout(std::string_view text, const std::string& what, const Position& where = {});

}  // namespace warpmark
