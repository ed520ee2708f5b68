// Compiles CUDA files of the tests to PTX with the machine's NVRTC, and keeps the PTX in a folder.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.hpp"
#include "compiler/nvrtc.hpp"
#include "compiler/shims.hpp"

namespace warpmark::test {

namespace fs = std::filesystem;

struct Mode {
  const char* name;
  const char* option;
};
inline constexpr Mode kModes[] = {{"plain", ""}, {"lines", "-lineinfo"}, {"debug", "-G"}};
inline constexpr int kArchitectures[] = {75, 80, 90, 100, 120};

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The .cu files of a folder, by name.
inline std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

/// The headers beside a kernel that it includes itself.
inline std::vector<fs::path> headers_beside(const fs::path& kernel, const std::string& source) {
  constexpr std::string_view kInclude = "\n#include \"";
  std::vector<fs::path> headers;
  for (std::size_t at = 0; (at = source.find(kInclude, at)) != std::string::npos;) {
    at += kInclude.size();
    const fs::path header = kernel.parent_path() / source.substr(at, source.find('"', at) - at);
    if (fs::exists(header)) headers.push_back(header);
  }
  return headers;
}

/// PTX is kept by a hash of all that decides it. Each compilation has a process of its own, since
/// the PTX that NVRTC makes may depend on what the same process compiled before.
class CorpusCompiler {
 public:
  /// Throws an environment error where there is no NVRTC.
  explicit CorpusCompiler(fs::path cache) : nvrtc_(Nvrtc::open()), cache_(std::move(cache)) {
    for (const std::string_view name : shim_names()) {
      names_.emplace_back(name);
      shims_.emplace_back(*find_shim(name));
    }
    fs::create_directories(cache_);
  }

  /// The file with the PTX; "" with NVRTC's own words in `log` if it refuses the source.
  fs::path compile_to_file(const fs::path& kernel, int architecture, const Mode& mode) {
    const std::string source = text_of(kernel);
    // Some kernels need what only one architecture has, such as wgmma.
    const bool specific = architecture == 90 && source.find("\n//@ specific\n") != source.npos;
    std::vector<std::string> options = {
        "--gpu-architecture=compute_" + std::to_string(architecture) + (specific ? "a" : ""),
        "--std=c++17"};
    for (const std::string& folder : nvrtc_->include_folders()) options.push_back("-I" + folder);
    if (*mode.option != '\0') options.emplace_back(mode.option);
    std::string key = nvrtc_->fingerprint() + std::to_string(kShimVersion) + source;
    for (const fs::path& header : headers_beside(kernel, source)) key += text_of(header);
    for (const std::string& option : options) key += '\n' + option;
    const fs::path ptx = cache_ / (sha256_hex(key) + ".ptx"), log = ptx.string() + ".log";
    if (!fs::exists(ptx) && !fs::exists(log)) {
      const pid_t child = fork();
      if (child == 0) _exit(compile_here(kernel, source, options, ptx, log) ? 0 : 1);
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        throw std::runtime_error("cannot compile " + kernel.string());
    }
    if (fs::exists(ptx)) return ptx;
    log_ = text_of(log);
    return {};
  }
  std::string compile(const fs::path& kernel, int architecture, const Mode& mode) {
    const fs::path file = compile_to_file(kernel, architecture, mode);
    return file.empty() ? std::string() : text_of(file);
  }

  [[nodiscard]] const Nvrtc& nvrtc() const { return *nvrtc_; }
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  /// Writes the PTX, or the log where NVRTC refuses the source; false if neither could be had.
  bool compile_here(const fs::path& kernel, const std::string& source,
                    const std::vector<std::string>& options, const fs::path& ptx,
                    const fs::path& log) const {
    const auto pointers = [](const std::vector<std::string>& texts) {
      std::vector<const char*> result;
      for (const std::string& text : texts) result.push_back(text.c_str());
      return result;
    };
    std::vector<std::string> header_names = names_, headers = shims_;
    for (const fs::path& header : headers_beside(kernel, source)) {
      header_names.push_back(header.filename());
      headers.push_back(text_of(header));
    }
    const std::vector<const char*> names = pointers(header_names), texts = pointers(headers);
    const std::vector<const char*> arguments = pointers(options);
    const NvrtcTable& table = nvrtc_->table();
    nvrtcProgram program = nullptr;
    if (table.nvrtcCreateProgram(&program, source.c_str(), kernel.filename().c_str(),
                                 static_cast<int>(names.size()), texts.data(),
                                 names.data()) != NVRTC_SUCCESS)
      return false;
    const bool good = table.nvrtcCompileProgram(program, static_cast<int>(arguments.size()),
                                                arguments.data()) == NVRTC_SUCCESS;
    std::size_t bytes = 0;
    (good ? table.nvrtcGetPTXSize : table.nvrtcGetProgramLogSize)(program, &bytes);
    std::string text(bytes, '\0');
    (good ? table.nvrtcGetPTX : table.nvrtcGetProgramLog)(program, text.data());
    text.resize(bytes == 0 ? 0 : bytes - 1);
    const fs::path fresh = ptx.string() + "." + std::to_string(getpid());
    std::ofstream file(fresh, std::ios::binary);
    file << text;
    file.close();
    if (!file) return false;
    fs::rename(fresh, good ? ptx : log);
    return true;
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
  fs::path cache_;
  std::vector<std::string> names_, shims_;
  std::string log_;
};

}  // namespace warpmark::test
