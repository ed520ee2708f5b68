#include "runtime/sanitizer.hpp"

#include "base/cuda_program.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

}  // namespace

const std::vector<std::string>& sanitizer_tools() {
  static const std::vector<std::string> kTools = {"memcheck", "racecheck", "initcheck",
                                                  "synccheck"};
  return kTools;
}

std::optional<std::string> find_compute_sanitizer() {
  return find_cuda_program("compute-sanitizer", {"bin", "compute-sanitizer"});
}

// Documented options (compute-sanitizer's manual, "Command Line Options"): without a backtrace of
// the host each report is shorter by half, and what the host does is ours: calls that fail on
// purpose (does this driver know that attribute?) are no mistakes of a kernel.
std::vector<std::string> sanitizer_command(const Sanitizer& sanitizer, const fs::path& log,
                                           const std::string& program) {
  return {sanitizer.program,
          "--tool",
          sanitizer.tool,
          "--log-file",
          log.string(),
          "--print-limit",
          "1000",
          "--show-backtrace",
          "no",
          "--report-api-errors",
          "no",
          program};
}

}  // namespace warpmark
