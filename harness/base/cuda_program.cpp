#include "base/cuda_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& file) {
  std::error_code code;
  return fs::is_regular_file(file, code) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<std::string> below(const fs::path& home, const std::string& name,
                                 const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const fs::path file = home / folder / name;
    if (can_run(file)) return file.string();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_cuda_program(const std::string& name,
                                             const std::vector<std::string>& folders) {
  const char* home = std::getenv("WARPMARK_CUDA_HOME");
  if (home != nullptr && *home != '\0') {
    if (auto found = below(home, name, folders)) return found;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const fs::path file = fs::path(folder) / name;
    if (!folder.empty() && can_run(file)) return file.string();
  }
  return below("/usr/local/cuda", name, folders);
}

}  // namespace warpmark
