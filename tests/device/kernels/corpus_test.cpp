// Compiles the kernels of tests/device/kernels with the machine's NVRTC and loads every module and
// every kernel of it on the CPU device; skipped where there is no NVRTC.
//
// `--short` takes the kernels without large headers, plain; else all of them in three modes. PTX is
// kept in a folder of the build, by a hash of all that decides it.
#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "device/kernels/corpus.hpp"
#include "device/support/client.hpp"
#include "device/support/newer.hpp"
#include "support/run_tests.hpp"

namespace warpmark::test {
namespace {

bool short_run = false;

/// Files that NVRTC refuses, as named; all others must compile. (75: no bfloat16 arithmetic.)
const std::set<std::string> kNotForNvrtc = {"35_cdp", "36_main", "37_vla_recursion", "38_alloca"};

/// Instructions and symbols that the device does not have yet, as its message names them: none.
const std::vector<std::string> kGaps = {};

class Corpus : public DeviceTest {
 protected:
  void SetUp() override {
    try {
      compiler_.emplace(WARPMARK_CORPUS_CACHE);
    } catch (const std::exception& error) {
      GTEST_SKIP() << error.what();
    }
    if (compiler_->nvrtc().major() < 13) GTEST_SKIP() << "the list above is for NVRTC 13";
    DeviceTest::SetUp();
    kernels_ = sources_in(WARPMARK_CORPUS);
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

  std::optional<CorpusCompiler> compiler_;
  std::vector<fs::path> kernels_;
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
        const std::string ptx = compiler_->compile(kernel, architecture, mode);
        const bool refused =
            kNotForNvrtc.contains(name) || (name == "10_half" && architecture == 75);
        EXPECT_EQ(ptx.empty(), refused)
            << name << " for " << architecture << ": " << compiler_->log();
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
  return warpmark::test::run_tests();
}
