// What a policy finds in compiled code, and what it says of it to students.
#include "grade/ptx_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kPtx = R"(
.version 9.0
.target sm_90
.extern .func  (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.extern .func  (.param .b64 func_retval0) malloc(.param .b64 a);
.global .align 1 .b8 $str[7] = {37, 100, 32, 37, 115, 10};
.const .align 4 .b8 weights[12];
.visible .entry scale(.param .u64 a)
{
	.reg .b32 	%r<13>;
	.reg .b64 	%rd<13>;
	.loc	1 7 2
	mov.u32 	%r1, %tid.x;
	mov.u64 	%rd1, %clock64;
	.loc	1 8 2
	atom.global.add.u32 	%r1, [%rd4], 1;
	atom.shared.min.u32 	%r1, [%rd4], 1;
	.loc	1 9 2
	ld.global.nc.f16 %r2, [%rd1];
	mov.u64 	%rd3, $str;
	.loc	1 10 2
	call.uni (retval0), vprintf, (param0, param1);
	ret;
}
.file	1 "scale.cu"
)";

class Policy : public testing::Test {
 protected:
  PolicyFindings apply(const std::vector<std::string>& forbid, std::string_view ptx = kPtx) {
    PtxPolicy policy;
    for (const std::string& name : forbid) policy.forbid.push_back({name, {}});
    return apply_policy(policy, ptx_contents(ptx), {"scale"}, "scale.cu");
  }
  std::string found(const std::string& name, std::string_view ptx = kPtx) {
    const PolicyFindings findings = apply({name}, ptx);
    return findings.forbidden.empty() ? "" : findings.forbidden.front().found;
  }
  std::string text(const std::string& name, std::string_view ptx = kPtx) {
    const PolicyFindings findings = apply({name}, ptx);
    return findings.forbidden.empty() ? "" : findings.forbidden.front().text;
  }
};

TEST_F(Policy, OpcodesByDottedPrefix) {
  EXPECT_EQ(found("atom"), "atom.global.add.u32");
  EXPECT_EQ(found("atom.shared"), "atom.shared.min.u32");
  EXPECT_EQ(found("ld.global.nc"), "ld.global.nc.f16");
  EXPECT_EQ(found("ato"), "");
  EXPECT_EQ(found("ld.glob"), "");
  EXPECT_EQ(found(".f16"), "ld.global.nc.f16");
  EXPECT_EQ(found(".f1"), "");
}

TEST_F(Policy, RegistersAndFunctions) {
  EXPECT_EQ(found("%clock64"), "%clock64");
  EXPECT_EQ(found("%clock"), "");
  EXPECT_EQ(found("vprintf"), "vprintf");
  EXPECT_EQ(found("malloc"), "malloc");  // declared is enough: its address may be taken
  EXPECT_EQ(found("free"), "");
}

TEST_F(Policy, WhatTheStudentReads) {
  EXPECT_EQ(text("%clock64"),
            "Line 7 uses the clock, as by `clock64()` (`%clock64` in compiled code), which this "
            "assignment does not allow. Take it out, and find a way without it.");
  EXPECT_EQ(text("vprintf"),
            "Line 10 uses `printf` (`vprintf` in compiled code), which this assignment does not "
            "allow. Take it out, and find a way without it.");
  EXPECT_EQ(text("ld.global.nc"),
            "Line 9 uses `ld.global.nc` (`ld.global.nc.f16` in compiled code), which this "
            "assignment does not allow. Take it out, and find a way without it.");
}

TEST_F(Policy, EntriesThatAreNotLaunched) {
  EXPECT_EQ(found("entries"), "");
  const std::string more = std::string(kPtx) + ".entry _Z4evilPf(.param .u64 a) { ret; }";
  EXPECT_EQ(text("entries", more),
            "The file has a further kernel, `evil(float*)`, that this assignment does not ask for. "
            "Take it out, or make it a `__device__` function.");
}

TEST_F(Policy, VariablesThatKeepValues) {
  // Neither constants nor the text of a printf.
  EXPECT_EQ(found("writable_globals"), "");
  const std::string more = std::string(kPtx) + ".global .align 4 .b8 _ZZ5scaleE5cache[16384];";
  EXPECT_EQ(text("writable_globals", more),
            "`scale::cache` (16 KiB) is a variable outside of the kernel, or a `static` one in it. "
            "It would keep its value from one launch to the next, which this assignment does not "
            "allow. Use the kernel's arguments, local variables or `__shared__` memory; a table of "
            "constants gets `__constant__`.");
  EXPECT_EQ(found("writable_globals", ".entry scale(){ .global .b32 inside; ret; }"), "inside");
  EXPECT_EQ(found("writable_globals", ".global .b32 $str = 5; .entry scale(){ st.b32 [$str], 1; }"),
            "$str");
  EXPECT_EQ(found("writable_globals", ".global .b32 $str;"), "$str");
}

TEST_F(Policy, WhatCannotBeReadIsForbiddenIfAnythingIs) {
  const std::string odd = std::string(kPtx) + ".pragma \"\\\";";
  EXPECT_THAT(apply({"nanosleep"}, odd).forbidden, SizeIs(1));
  EXPECT_THAT(text("nanosleep", odd), HasSubstr("inline assembly"));
  PtxPolicy policy;
  policy.flag.push_back({"%clock64", {}});
  const PolicyFindings findings = apply_policy(policy, ptx_contents(odd), {"scale"}, "scale.cu");
  EXPECT_TRUE(findings.allowed());
  EXPECT_THAT(findings.flagged, SizeIs(2));
}

TEST_F(Policy, NothingForbiddenFindsNothing) {
  EXPECT_THAT(apply({}).forbidden, IsEmpty());
  EXPECT_THAT(apply({"trap", "red", "nanosleep", "%globaltimer"}).forbidden, IsEmpty());
}

TEST_F(Policy, NamesAreShownShort) {
  const std::string ptx = ".global .b8 " + std::string(5000, 'x') + ";";
  EXPECT_LT(text("writable_globals", ptx).size(), 600U);
}

TEST(StaticMemory, MoreThanAllowed) {
  const PtxContents contents =
      ptx_contents(".global .b8 big[274877906944]; .global .b8 small[4]; .shared .b8 s[9999];");
  EXPECT_EQ(static_memory_excess(contents, uint64_t{1} << 30),
            "The file's own variables take 256 GiB of device memory, and 1 GiB are allowed; the "
            "largest is `big` with 256 GiB. The kernel's arguments are allocated by the grader.");
  EXPECT_EQ(static_memory_excess(contents, uint64_t{1} << 40), "");
}

}  // namespace
}  // namespace warpmark
