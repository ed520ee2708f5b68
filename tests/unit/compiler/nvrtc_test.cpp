// Finding and refusing NVRTC.
#include "compiler/nvrtc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "unit/compiler/fake_nvrtc.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const NvrtcSearch& search) {
  try {
    Nvrtc::open(search);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    return error.what();
  }
  return "no error";
}

NvrtcSearch nothing() {
  return {"", "", "", false, {}};
}

TEST(NvrtcSearchTest, NothingFoundListsThePlacesAndTheRemedies) {
  NvrtcSearch search = nothing();
  search.deps = "/nowhere/deps/cuda";
  search.system = {"/nowhere/cuda"};
  EXPECT_THAT(error_of(search), AllOf(HasSubstr("/nowhere/deps/cuda: no libnvrtc"),
                                      HasSubstr("/nowhere/cuda: no libnvrtc"),
                                      HasSubstr("./bootstrap"), HasSubstr("WARPMARK_NVRTC")));
}

TEST(NvrtcSearchTest, WhatTheUserNamedIsNeverPassedOver) {
  NvrtcSearch search;  // with the loader's path and the system's folders
  search.library = "/nowhere/libnvrtc.so";
  EXPECT_THAT(error_of(search), HasSubstr("/nowhere/libnvrtc.so"));
  search = NvrtcSearch();
  search.cuda_home = "/nowhere/home";
  EXPECT_THAT(error_of(search), HasSubstr("/nowhere/home: no libnvrtc"));
}

TEST(NvrtcSearchTest, AFileThatIsNoLibraryIsNamedWithTheLoadersReason) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "lib" / "libnvrtc.so.13", "junk");
  NvrtcSearch search = nothing();
  search.deps = folder.path().string();
  EXPECT_THAT(error_of(search), AllOf(HasSubstr("libnvrtc.so.13"), HasSubstr("too short")));
}

TEST(NvrtcSearchTest, AnotherLibraryIsNoNvrtc) {
  NvrtcSearch search = nothing();
  search.library = "/lib/x86_64-linux-gnu/libm.so.6";
  if (!std::filesystem::exists(search.library)) GTEST_SKIP() << "no " << search.library;
  EXPECT_THAT(error_of(search), AllOf(HasSubstr("no usable NVRTC"), HasSubstr("nvrtcVersion")));
}

TEST(NvrtcVersion, OlderThan12_4IsRefusedByName) {
  FakeNvrtc fake;
  for (const auto& [major, minor] : {std::pair(11, 8), std::pair(12, 3)}) {
    fake.major = major;
    fake.minor = minor;
    try {
      fake.nvrtc();
      FAIL() << major << "." << minor;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_THAT(error.what(), HasSubstr("is NVRTC " + std::to_string(major)));
    }
  }
  fake.major = 12;
  fake.minor = 4;
  EXPECT_EQ(fake.nvrtc()->version(), "12.4");
}

TEST(NvrtcVersion, AnArchitectureItLacksIsNamedWithThoseItHas) {
  FakeNvrtc fake;
  EXPECT_NO_THROW(fake.nvrtc()->check_architecture(80));
  try {
    fake.nvrtc()->check_architecture(70);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("sm_70"), HasSubstr("sm_80, sm_90"), HasSubstr("CUDA 12")));
  }
}

TEST(NvrtcVersion, AnArchitectureHasItsOwnFeaturesWhereItsNumberIsKnown) {
  FakeNvrtc fake;
  const auto refusal_of = [&](const Architecture& architecture) -> std::string {
    try {
      fake.nvrtc()->check_architecture(architecture);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      return error.what();
    }
  };
  EXPECT_EQ(refusal_of({90, 'a'}), "");
  EXPECT_THAT(refusal_of({100, 'a'}), AllOf(HasSubstr("cannot compile for sm_100a; it can for "
                                                      "sm_80, sm_90"),
                                            HasSubstr("a GPU this new needs a newer NVRTC")));
  EXPECT_THAT(refusal_of(89), HasSubstr("if there is such an architecture"));
  fake.major = 12;
  fake.minor = 8;
  EXPECT_THAT(refusal_of({90, 'f'}), HasSubstr("families need NVRTC 12.9 or newer"));
  fake.minor = 9;
  EXPECT_EQ(refusal_of({90, 'f'}), "");
}

// Wheels of CUDA 12 have the headers of a toolkit in several folders, those of CUDA 13 in one.
TEST(ToolkitFolders, AreThoseOfAWheelsNeighbours) {
  const TemporaryFolder site;
  const std::filesystem::path nvidia = site.path() / "nvidia";
  const auto add = [&](const char* file) { write_file_atomically(nvidia / file, ""); };
  const auto folders = [&](const char* library) {
    std::vector<std::string> found = toolkit_folders(nvidia / library, "");
    for (std::string& one : found) {
      one = std::filesystem::path(one).lexically_relative(std::filesystem::canonical(nvidia));
    }
    return found;
  };
  add("cuda_nvrtc/include/nvrtc.h");
  EXPECT_THAT(folders("cuda_nvrtc/lib/libnvrtc.so.12"), testing::IsEmpty());
  add("cuda_runtime/include/cuda_runtime.h");
  EXPECT_THAT(folders("cuda_nvrtc/lib/libnvrtc.so.12"),
              testing::ElementsAre("cuda_runtime/include"));
  add("cuda_nvcc/include/crt/mma.h");
  add("cuda_cccl/include/cuda/std/limits");
  add("curand/include/curand_kernel.h");
  add("cudnn/include/cudnn.h");
  EXPECT_THAT(folders("cuda_nvrtc/lib/libnvrtc.so.12"),
              testing::ElementsAre("cuda_runtime/include", "cuda_nvcc/include", "cuda_cccl/include",
                                   "curand/include"));
  add("cu13/include/cuda_runtime.h");
  add("cu13/include/cccl/cuda/std/limits");
  EXPECT_THAT(folders("cu13/lib/libnvrtc.so.13"),
              testing::ElementsAre("cu13/include", "cu13/include/cccl"));
}

TEST(NvrtcSearchTest, AHomeMayBeTheFolderOfWheels) {
  for (const char* folder : {"cuda_nvrtc", "cu13"}) {
    const TemporaryFolder nvidia;
    write_file_atomically(nvidia.path() / folder / "lib" / "libnvrtc.so.12", "junk");
    NvrtcSearch search = nothing();
    search.cuda_home = nvidia.path().string();
    EXPECT_THAT(error_of(search), HasSubstr("too short")) << folder;
  }
}

// A library whose answers are kept is opened when something is compiled.
class KnownNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_.path() / "cache");
    ASSERT_EQ(::setenv("WARPMARK_CACHE_DIR", (folder_.path() / "cache").c_str(), 1), 0);
    search_.library = (folder_.path() / "libnvrtc.so").string();
    fs::create_symlink(real_->path(), search_.library);
  }
  void TearDown() override { ::unsetenv("WARPMARK_CACHE_DIR"); }

  fs::path kept() const {
    return fs::directory_iterator(folder_.path() / "cache" / "nvrtc")->path();
  }
  // Alters what is kept, which shows where an answer comes from.
  void keep_another_version() const {
    std::string text = read_file(kept());
    const std::string version = fmt::format("\n{} {}\n", real_->major(), real_->minor());
    const size_t at = text.find(version);
    ASSERT_NE(at, std::string::npos) << text;
    write_file_atomically(kept(), text.replace(at, version.size(), "\n99 7\n"));
  }

  std::shared_ptr<const Nvrtc> real_ = Nvrtc::open();
  TemporaryFolder folder_;
  NvrtcSearch search_ = nothing();
};

TEST_F(KnownNvrtc, AnswersAsTheOpenedOneDoes) {
  const auto opened = Nvrtc::open(search_);
  const auto known = Nvrtc::open(search_);
  EXPECT_EQ(known->version(), real_->version());
  EXPECT_EQ(known->fingerprint(), opened->fingerprint());
  EXPECT_EQ(known->path(), opened->path());
  EXPECT_EQ(known->include_folders(), opened->include_folders());
  EXPECT_NO_THROW(known->check_architecture({90, 'a'}));
  EXPECT_THROW(known->check_architecture({13, 0}), Error);
  EXPECT_EQ(known->table().nvrtcCompileProgram, opened->table().nvrtcCompileProgram);
}

TEST_F(KnownNvrtc, IsNotAskedAgain) {
  Nvrtc::open(search_);
  keep_another_version();
  EXPECT_EQ(Nvrtc::open(search_)->version(), "99.7");
}

TEST_F(KnownNvrtc, IsAskedAgainOnceItsFileOrTheAnswerIsAnother) {
  Nvrtc::open(search_);
  keep_another_version();
  fs::resize_file(kept(), fs::file_size(kept()) - 2);
  EXPECT_EQ(Nvrtc::open(search_)->version(), real_->version());
  keep_another_version();
  fs::remove(search_.library);
  write_file_atomically(search_.library, "the loader has this name open, and looks at no file");
  EXPECT_EQ(Nvrtc::open(search_)->version(), real_->version());
}

}  // namespace
}  // namespace warpmark
