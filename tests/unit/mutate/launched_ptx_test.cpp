// PTX without what a launch of some kernels does not depend on.
#include "mutate/launched_ptx.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

constexpr const char* kPtx =
    ".version 9.0\n.target sm_90a\n\n// a comment\n.global .align 4 .u32 g;\n"
    ".visible .entry a(\n\t.param .u64 a_param_0\n)\n{\n\t.loc\t1 3 5\n\tret;\n}\n"
    ".visible .entry ab(\n\t.param .u64 ab_param_0\n)\n{\n\ttrap;\n}\n"
    ".file\t1 \"/w/a.cu\"\n.section\t.debug_str\n{\n.b8 97\n}\n";

TEST(LaunchedPtx, OtherKernelsAndLinesAreLeftOut) {
  const std::string kept = launched_ptx(kPtx, {"a"});
  EXPECT_NE(kept.find("ret;"), std::string::npos);
  EXPECT_NE(kept.find("u32 g"), std::string::npos);
  for (const char* other : {"trap", ".loc", ".file", ".b8", "comment"}) {
    EXPECT_EQ(kept.find(other), std::string::npos) << other;
  }
}

TEST(LaunchedPtx, KernelsAreToldApartByTheirWholeNames) {
  EXPECT_EQ(launched_ptx(kPtx, {"ab"}).find("ret;"), std::string::npos);
  EXPECT_NE(launched_ptx(kPtx, {"a", "ab"}), launched_ptx(kPtx, {"a"}));
  EXPECT_EQ(launched_ptx("", {"a"}), "");
}

}  // namespace
}  // namespace warpmark
