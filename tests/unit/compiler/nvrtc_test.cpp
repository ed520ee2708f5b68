// Finding and refusing NVRTC.
#include "compiler/nvrtc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "unit/compiler/fake_nvrtc.hpp"

namespace warpmark {
namespace {

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

}  // namespace
}  // namespace warpmark
