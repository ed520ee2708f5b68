// cuLink: several PTX texts become one image.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

const std::string kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";
// `inner` and `bias` are each module's own; `scale` and `twice` come from the second.
const std::string kMain = kHeader + R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .b32 scale;
.global .align 4 .b32 bias = 100;
.func (.param .b32 r) inner(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x]; ld.global.b32 %r2, [bias]; add.s32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0], 5; call.uni (retval0), twice, (param0); ld.param.b32 %r1, [retval0]; }
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0], %r1; call.uni (retval0), inner, (param0); ld.param.b32 %r2, [retval0]; }
  ld.global.b32 %r3, [scale];
  st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; ret;
}
)";
const std::string kOther = kHeader + R"(
.visible .global .align 4 .b32 scale = 17;
.global .align 4 .b32 bias = 1;
.func (.param .b32 r) inner(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x]; ld.global.b32 %r2, [bias]; shl.b32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;
}
.visible .func (.param .b32 r) twice(.param .b32 x);
.visible .func (.param .b32 r) doubled(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x];
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0], %r1; call.uni (retval0), inner, (param0); ld.param.b32 %r2, [retval0]; }
  st.param.b32 [r], %r2; ret;
}
.alias twice, doubled;
)";

class LinkTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure()) return;
    values_ = {log_.data(), reinterpret_cast<void*>(log_.size())};
    ASSERT_CU(create_(2, options_.data(), values_.data(), &state_));
  }
  void TearDown() override {
    if (state_ != nullptr) {
      EXPECT_CU(destroy_(state_));
    }
    DeviceTest::TearDown();
  }
  CUresult add(const std::string& text, const char* name) {
    return add_data_(state_, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size() + 1,
                     name, 0, nullptr, nullptr);
  }
  CUresult complete() { return complete_(state_, &image_, &bytes_); }

  decltype(&::cuLinkCreate_v2) create_ =
      api().find<std::remove_pointer_t<decltype(&::cuLinkCreate_v2)>>("cuLinkCreate_v2");
  decltype(&::cuLinkAddData_v2) add_data_ =
      api().find<std::remove_pointer_t<decltype(&::cuLinkAddData_v2)>>("cuLinkAddData_v2");
  decltype(&::cuLinkAddFile_v2) add_file_ =
      api().find<std::remove_pointer_t<decltype(&::cuLinkAddFile_v2)>>("cuLinkAddFile_v2");
  decltype(&::cuLinkComplete) complete_ =
      api().find<std::remove_pointer_t<decltype(&::cuLinkComplete)>>("cuLinkComplete");
  decltype(&::cuLinkDestroy) destroy_ =
      api().find<std::remove_pointer_t<decltype(&::cuLinkDestroy)>>("cuLinkDestroy");
  std::array<char, 512> log_{};
  std::array<CUjit_option, 2> options_ = {CU_JIT_ERROR_LOG_BUFFER,
                                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values_{};
  CUlinkState state_ = nullptr;
  void* image_ = nullptr;
  std::size_t bytes_ = 0;
};

TEST_F(LinkTest, ResolvesFunctionsAndVariablesAndKeepsLocalNamesApart) {
  for (const bool main_first : {true, false}) {
    CUlinkState state = nullptr;
    std::swap(state, state_);
    ASSERT_CU(destroy_(state));
    ASSERT_CU(create_(0, nullptr, nullptr, &state_));
    ASSERT_CU(add(main_first ? kMain : kOther, "a.cu"));
    ASSERT_CU(add(main_first ? kOther : kMain, "b.cu"));
    ASSERT_CU(complete());
    EXPECT_EQ(static_cast<const char*>(image_)[bytes_ - 1], '\0');
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_CU(api().load_ex(&module, image_, 0, nullptr, nullptr));
    ASSERT_CU(api().function(&function, module, "k"));
    Array<int> out(2);
    ASSERT_CU(launch(function, {1}, {1}, 0, out.address));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host[0], (5 << 1) + 100);
    EXPECT_EQ(out.host[1], 17);
  }
}

TEST_F(LinkTest, NamesWhatIsMissingAndWhatIsThereTwice) {
  ASSERT_CU(add(kMain, "main.cu"));
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("undefined reference to 'twice' in 'main.cu'"));
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("undefined reference to 'scale' in 'main.cu'"));
  EXPECT_GT(reinterpret_cast<std::size_t>(values_[1]), 0u) << "the log's size is returned";
  ASSERT_CU(add(kOther, "first.cu"));
  ASSERT_CU(add(kOther, "second.cu"));
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("multiple definition of 'twice' in 'second.cu', "
                                                "first defined in 'first.cu'"));
}

// As the driver's: what was wrong with an input stays in the log when the rest is linked.
TEST_F(LinkTest, TheLogKeepsTheErrorsOfAllCalls) {
  const std::string bad = kHeader + ".entry z() { foo }\n";
  EXPECT_EQ(add(bad, "bad.ptx"), CUDA_ERROR_INVALID_PTX);
  const std::string first = log_.data();
  EXPECT_THAT(first, ::testing::HasSubstr("bad.ptx"));
  EXPECT_EQ(add(bad, "worse.ptx"), CUDA_ERROR_INVALID_PTX);
  const std::string both = log_.data();
  EXPECT_THAT(both, ::testing::StartsWith(first + "\n"));
  EXPECT_THAT(both, ::testing::HasSubstr("worse.ptx"));
  ASSERT_CU(add(kMain, "main.cu"));
  ASSERT_CU(add(kOther, "other.cu"));
  ASSERT_CU(complete());
  EXPECT_EQ(log_.data(), both);
}

// As programs with conditional nodes are linked; the device has the function itself.
TEST_F(LinkTest, TheDeviceRuntimeIsThere) {
  ASSERT_CU(add(kHeader + ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);\n"
                          ".visible .entry k() { .reg .b32 %r<2>; { .param .b64 a; .param .b32 b; "
                          "call.uni cudaGraphSetConditional, (a, b); } ret; }\n",
                "main.cu"));
  ASSERT_CU(add_file_(state_, CU_JIT_INPUT_LIBRARY, "/usr/local/cuda/lib64/libcudadevrt.a", 0,
                      nullptr, nullptr));
  ASSERT_CU(complete());
}

TEST_F(LinkTest, WhatPtxDoesNotHaveIsAnErrorOfTheLinkedText) {
  ASSERT_CU(add(kHeader + ".entry z() { foo.u32 5; ret; }\n", "bad.ptx"));
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("'foo' is no instruction"));
}

TEST_F(LinkTest, WeakDefinitionsGiveWay) {
  const auto with = [](const std::string& linkage, int value) {
    return kHeader + linkage + " .global .align 4 .b32 scale = " + std::to_string(value) + ";\n" +
           linkage +
           " .func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<2>; st.param.b32 [r], " +
           std::to_string(value) + "; ret; }\n";
  };
  ASSERT_CU(add(with(".weak", 1), "weak.cu"));
  ASSERT_CU(add(kMain, "main.cu"));
  ASSERT_CU(add(with(".visible", 2), "strong.cu"));
  ASSERT_CU(add(with(".weak", 3), "late.cu"));
  ASSERT_CU(complete()) << log_.data();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_CU(api().load_ex(&module, image_, 0, nullptr, nullptr));
  ASSERT_CU(api().function(&function, module, "k"));
  Array<int> out(2);
  ASSERT_CU(launch(function, {1}, {1}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[0], 102);
  EXPECT_EQ(out.host[1], 2);
}

TEST_F(LinkTest, ReadsFiles) {
  const std::string path = ::testing::TempDir() + "/link_test." + std::to_string(getpid()) + ".ptx";
  std::ofstream(path) << kOther;
  ASSERT_CU(add(kMain, "main.cu"));
  ASSERT_CU(add_file_(state_, CU_JIT_INPUT_PTX, path.c_str(), 0, nullptr, nullptr));
  std::remove(path.c_str());
  ASSERT_CU(complete()) << log_.data();
  EXPECT_EQ(add_file_(state_, CU_JIT_INPUT_PTX, path.c_str(), 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE)
      << "the image is complete";
}

TEST_F(LinkTest, RefusesOtherFilesBinariesAndBadTexts) {
  const auto add_file = [&](CUjitInputType type, const char* path) {
    return add_file_(state_, type, path, 0, nullptr, nullptr);
  };
  EXPECT_EQ(add_file(CU_JIT_INPUT_PTX, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("cannot open /no/such/file.ptx"));
  EXPECT_EQ(add_file(CU_JIT_INPUT_PTX, "/proc/self/exe"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(add_file(CU_JIT_INPUT_CUBIN, "/proc/self/exe"), CUDA_ERROR_NOT_SUPPORTED);
  char cubin[] =
      "\x7f"
      "ELF";
  EXPECT_EQ(add_data_(state_, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "c", 0, nullptr, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(add(kHeader + ".visible .entry k() { bra nowhere; }", "bad.cu"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log_.data(), ::testing::HasSubstr("bad.cu, line 4"));
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE) << "nothing to link";
  EXPECT_EQ(destroy_(reinterpret_cast<CUlinkState>(this)), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace warpmark::test
