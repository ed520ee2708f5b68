// Compiles CUDA files of the tests to PTX with the machine's NVRTC, and keeps the PTX in a folder.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
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

/// PTX is kept by a hash of all that decides it.
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
    std::vector<std::string> options = {
        "--gpu-architecture=compute_" + std::to_string(architecture), "--std=c++17"};
    for (const std::string& folder : nvrtc_->include_folders()) options.push_back("-I" + folder);
    if (*mode.option != '\0') options.emplace_back(mode.option);
    std::string key = nvrtc_->fingerprint() + std::to_string(kShimVersion) + source;
    for (const std::string& option : options) key += '\n' + option;
    fs::path cached = cache_ / (sha256_hex(key) + ".ptx");
    if (fs::exists(cached)) return cached;

    std::vector<const char*> names, shims, arguments;
    for (const std::string& name : names_) names.push_back(name.c_str());
    for (const std::string& shim : shims_) shims.push_back(shim.c_str());
    for (const std::string& option : options) arguments.push_back(option.c_str());
    const NvrtcTable& table = nvrtc_->table();
    nvrtcProgram program = nullptr;
    EXPECT_EQ(table.nvrtcCreateProgram(&program, source.c_str(), kernel.filename().c_str(),
                                       static_cast<int>(names.size()), shims.data(), names.data()),
              NVRTC_SUCCESS);
    const bool good = table.nvrtcCompileProgram(program, static_cast<int>(arguments.size()),
                                                arguments.data()) == NVRTC_SUCCESS;
    std::size_t bytes = 0;
    if (good) {
      table.nvrtcGetPTXSize(program, &bytes);
      std::string ptx(bytes, '\0');
      table.nvrtcGetPTX(program, ptx.data());
      ptx.resize(bytes - 1);
      const fs::path fresh = cached.string() + "." + std::to_string(getpid());
      std::ofstream(fresh, std::ios::binary) << ptx;
      fs::rename(fresh, cached);
    } else {
      table.nvrtcGetProgramLogSize(program, &bytes);
      log_.resize(bytes);
      table.nvrtcGetProgramLog(program, log_.data());
      cached.clear();
    }
    table.nvrtcDestroyProgram(&program);
    return cached;
  }
  std::string compile(const fs::path& kernel, int architecture, const Mode& mode) {
    const fs::path file = compile_to_file(kernel, architecture, mode);
    return file.empty() ? std::string() : text_of(file);
  }

  [[nodiscard]] const Nvrtc& nvrtc() const { return *nvrtc_; }
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  std::shared_ptr<const Nvrtc> nvrtc_;
  fs::path cache_;
  std::vector<std::string> names_, shims_;
  std::string log_;
};

}  // namespace warpmark::test
