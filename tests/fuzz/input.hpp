// Shared by fuzz targets: inputs as texts and files, and which exceptions are answers.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

/// libFuzzer's entry, which each target defines: 0 for an input that may be kept.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace warpmark::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs what reads an input. An Error is an answer, unless it says that the mistake is ours; any
/// other exception ends the process.
template <typename Work>
bool survives(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    return false;
  }
}

/// A file in memory with some bytes, for what reads files.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : fd_(memfd_create("input", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_.get(), bytes.data(), bytes.size());
      if (written <= 0) throw environment_error("no memory for an input");
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  UniqueFd fd_;
};

/// The parts of an input that is several files: each but the last ends with a line `%%`.
inline std::vector<std::string_view> parts_of(std::string_view text, size_t most) {
  constexpr std::string_view mark = "%%\n";
  std::vector<std::string_view> parts;
  for (size_t end = text.find(mark); end != std::string_view::npos && parts.size() + 1 < most;
       end = text.find(mark)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + mark.size());
  }
  parts.push_back(text);
  return parts;
}

}  // namespace warpmark::fuzz
