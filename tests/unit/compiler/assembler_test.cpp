// The assembler in this process: an nvJitLink of a toolkit, where there is one.
#include "compiler/assembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compiler.hpp"

namespace warpmark {
namespace {

const std::string kKernel =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry twice(.param .u64 a) {\n.reg .b64 %d; .reg .f32 %f;\n"
    "ld.param.u64 %d, [a];\nld.global.f32 %f, [%d];\nadd.f32 %f, %f, %f;\nst.global.f32 [%d], %f;\n"
    "ret;\n}\n";

class AssemblerTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string library = Assembler::find();
    if (library.empty()) GTEST_SKIP() << "there is no nvJitLink";
    assembler_ = Assembler::open(library);
  }
  std::shared_ptr<const Assembler> assembler_;
};

TEST_F(AssemblerTest, PtxBecomesMachineCodeWithTheLogOfPtxas) {
  const Assembler::Code code = assembler_->assemble(kKernel, parse_architecture("sm_90a"), "k.ptx");
  EXPECT_EQ(code.cubin.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_GT(usage_in_log(code.log).at("twice").registers, 0U) << code.log;
}

TEST_F(AssemblerTest, TextOfOneArchitectureIsForThatOne) {
  std::string own = kKernel;
  own.replace(own.find("sm_90"), 5, "sm_90a");
  const Assembler::Code code = assembler_->assemble(own, parse_architecture("sm_90"), "k.ptx");
  EXPECT_THAT(code.log, testing::HasSubstr("'sm_90a'"));
  EXPECT_THAT(code.log, testing::Not(testing::StartsWith("info")));
  EXPECT_THAT(assembler_->assemble(kKernel, parse_architecture("sm_100"), "k.ptx").log,
              testing::HasSubstr("'sm_100'"));
}

TEST_F(AssemblerTest, AMistakeIsRefusedWithItsText) {
  std::string wrong = kKernel;
  wrong.replace(wrong.find("add.f32"), 7, "sad.f32");
  for (const std::string& text : {wrong, std::string("no PTX"), std::string()}) {
    try {
      assembler_->assemble(text, parse_architecture("sm_90a"), "k.ptx");
      ADD_FAILURE() << text;
    } catch (const RefusedError& error) {
      EXPECT_THAT(error.message(), testing::StartsWith("k.ptx is not assembled\n"));
      EXPECT_GT(error.message().size(), 30U);
    }
  }
  EXPECT_NO_THROW(assembler_->assemble(kKernel, parse_architecture("sm_90a"), "k.ptx"));
}

TEST(Assembler, ALibraryThatIsNotThere) {
  EXPECT_THROW(Assembler::open("/nowhere/libnvJitLink.so.13"), Error);
}

}  // namespace
}  // namespace warpmark
