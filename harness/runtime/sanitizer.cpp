#include "runtime/sanitizer.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/text.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& file) {
  std::error_code code;
  return fs::is_regular_file(file, code) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<std::string> below(const fs::path& home) {
  for (const char* folder : {"bin", "compute-sanitizer"}) {
    const fs::path file = home / folder / "compute-sanitizer";
    if (can_run(file)) return file.string();
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& sanitizer_tools() {
  static const std::vector<std::string> kTools = {"memcheck", "racecheck", "initcheck",
                                                  "synccheck"};
  return kTools;
}

std::optional<std::string> find_compute_sanitizer() {
  const char* home = std::getenv("WARPMARK_CUDA_HOME");
  if (home != nullptr && *home != '\0') {
    if (auto found = below(home)) return found;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const fs::path file = fs::path(folder) / "compute-sanitizer";
    if (!folder.empty() && can_run(file)) return file.string();
  }
  return below("/usr/local/cuda");
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
