// Compiles the kernels of tests/device/kernels with the machine's NVRTC and loads every module and
// every kernel of it on the CPU device; skipped where there is no NVRTC.
//
// `--short` takes the kernels without large headers, plain; else all of them in three modes. PTX is
// kept in a folder of the build, by a hash of all that decides it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/sha256.hpp"
#include "compiler/nvrtc.hpp"
#include "compiler/shims.hpp"
#include "device/client.hpp"

namespace warpmark::test {
namespace {

namespace fs = std::filesystem;

bool short_run = false;

struct Mode {
  const char* name;
  const char* option;
};
constexpr Mode kModes[] = {{"plain", ""}, {"lines", "-lineinfo"}, {"debug", "-G"}};
constexpr int kArchitectures[] = {75, 80, 90, 100, 120};

/// What NVRTC refuses, and why; everything else must compile. (75: no bfloat16 arithmetic there.)
const std::set<std::string> kNotForNvrtc = {"35_cdp", "36_main", "37_vla_recursion", "38_alloca"};

/// Instructions and symbols that the device does not have yet, as they stand in its message: none.
const std::vector<std::string> kGaps = {};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Corpus : public DeviceTest {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = Nvrtc::open();
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
    if (nvrtc_->major() < 13) GTEST_SKIP() << "the list above is for NVRTC 13";
    DeviceTest::SetUp();
    for (const std::string_view name : shim_names()) {
      names_.emplace_back(name);
      shims_.emplace_back(*find_shim(name));
    }
    for (const auto& entry : fs::directory_iterator(WARPMARK_CORPUS)) {
      if (entry.path().extension() == ".cu") kernels_.push_back(entry.path());
    }
    std::sort(kernels_.begin(), kernels_.end());
    fs::create_directories(WARPMARK_CORPUS_CACHE);
  }

  /// The PTX, or "" with NVRTC's log in `log_`.
  std::string compile(const fs::path& kernel, int architecture, const Mode& mode) {
    const std::string source = text_of(kernel);
    std::vector<std::string> options = {
        "--gpu-architecture=compute_" + std::to_string(architecture), "--std=c++17"};
    for (const std::string& folder : nvrtc_->include_folders()) options.push_back("-I" + folder);
    if (*mode.option != '\0') options.emplace_back(mode.option);
    std::string key = nvrtc_->fingerprint() + std::to_string(kShimVersion) + source;
    for (const std::string& option : options) key += '\n' + option;
    const fs::path cached = fs::path(WARPMARK_CORPUS_CACHE) / (sha256_hex(key) + ".ptx");
    if (fs::exists(cached)) return text_of(cached);

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
    std::string ptx;
    if (good) {
      table.nvrtcGetPTXSize(program, &bytes);
      ptx.resize(bytes);
      table.nvrtcGetPTX(program, ptx.data());
      ptx.resize(bytes - 1);
      const fs::path fresh = cached.string() + "." + std::to_string(getpid());
      std::ofstream(fresh, std::ios::binary) << ptx;
      fs::rename(fresh, cached);
    } else {
      table.nvrtcGetProgramLogSize(program, &bytes);
      log_.resize(bytes);
      table.nvrtcGetProgramLog(program, log_.data());
    }
    table.nvrtcDestroyProgram(&program);
    return ptx;
  }

  /// Loads the module and every kernel of it; counts what it refuses and may refuse.
  void load(const std::string& name, const std::string& ptx) {
    CUmodule module = nullptr;
    ASSERT_EQ(api().load(&module, ptx.c_str()), CUDA_SUCCESS)
        << name << ": " << api().device->last_error();
    ++modules_;
    std::istringstream lines(ptx);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find(".entry ");
      if (at == std::string::npos || line.compare(0, 2, "//") == 0) continue;
      const std::size_t begin = at + 7, end = line.find_first_of("( \t", begin);
      const std::string kernel = line.substr(begin, end - begin);
      CUfunction function = nullptr;
      const CUresult result = api().function(&function, module, kernel.c_str());
      ++loaded_;
      if (result == CUDA_SUCCESS) continue;
      const std::string why = api().device->last_error();
      const auto gap = std::find_if(kGaps.begin(), kGaps.end(), [&](const std::string& known) {
        return why.find(known) != std::string::npos;
      });
      EXPECT_NE(gap, kGaps.end()) << name << ", " << kernel << ": " << why;
      EXPECT_EQ(result, CUDA_ERROR_NOT_SUPPORTED) << name << ", " << kernel << ": " << why;
      if (gap != kGaps.end()) {
        met_.insert(*gap);
        ++refused_;
      }
    }
    EXPECT_CU(api().unload(module));
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
  std::vector<std::string> names_, shims_;
  std::vector<fs::path> kernels_;
  std::string log_;
  std::set<std::string> met_;
  int modules_ = 0, loaded_ = 0, refused_ = 0;
};

TEST_F(Corpus, EveryKernelThatNvrtcCompilesLoads) {
  ASSERT_GE(kernels_.size(), 40U);
  for (const fs::path& kernel : kernels_) {
    const std::string name = kernel.stem();
    const std::string source = text_of(kernel);
    if (short_run && source.find("#include <c") != std::string::npos) continue;
    for (const Mode& mode : kModes) {
      if (short_run && &mode != &kModes[0]) continue;
      for (const int architecture : kArchitectures) {
        const std::string ptx = compile(kernel, architecture, mode);
        const bool refused =
            kNotForNvrtc.contains(name) || (name == "10_half" && architecture == 75);
        EXPECT_EQ(ptx.empty(), refused) << name << " for " << architecture << ": " << log_;
        if (!ptx.empty()) load(name + " " + std::to_string(architecture) + " " + mode.name, ptx);
      }
    }
  }
  RecordProperty("modules", modules_);
  RecordProperty("kernels", loaded_);
  RecordProperty("refused", refused_);
  std::printf("%d modules, %d kernels, %d of them refused\n", modules_, loaded_, refused_);
  if (short_run) return;
  for (const std::string& gap : kGaps)
    EXPECT_TRUE(met_.contains(gap)) << gap << " is a gap no longer: take it off the list";
}

}  // namespace
}  // namespace warpmark::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  warpmark::test::short_run = argc > 1 && std::string_view(argv[1]) == "--short";
  return RUN_ALL_TESTS();
}
