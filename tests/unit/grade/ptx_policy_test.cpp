// Findings of a policy in compiled code, and their texts for students.
#include "grade/grader/ptx_policy.hpp"

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

// A kernel with these lines, after these variables.
std::string kernel(const std::string& lines, const std::string& variables) {
  return variables + ".visible .entry scale(.param .u64 scale_param_0)\n{\n.loc 1 3 1\n" + lines +
         "\nret;\n}\n.file 1 \"scale.cu\"\n";
}
constexpr const char* kTable = ".global .align 4 .b8 table[16] = {1, 0, 2};\n";

TEST_F(Policy, VariablesThatKeepValues) {
  // Constants and the text of a printf are no such variables.
  EXPECT_EQ(found("writable_globals"), "");
  const std::string cache = ".global .align 4 .b8 _ZZ5scaleE5cache[16384];\n";
  EXPECT_EQ(found("writable_globals", cache), "");  // nobody uses it
  EXPECT_EQ(text("writable_globals", kernel("st.global.u32 [_ZZ5scaleE5cache+4], %r1;", cache)),
            "`scale::cache` (16 KiB) is a variable outside of the kernel, or a `static` one in it. "
            "It would keep its value from one launch to the next, which this assignment does not "
            "allow; line 3 does it. Use the kernel's arguments, local variables or `__shared__` "
            "memory. Constants may be outside of the kernel, if nothing is stored through their "
            "address.");
  EXPECT_EQ(found("writable_globals",
                  ".entry scale(){ .global .b32 inside; red.global.add.u32 [inside], 1; ret; }"),
            "inside");
  EXPECT_THAT(
      text("writable_globals", ".global .b32 $str = 5; .entry scale(){ st.b32 [$str], 1; }"),
      HasSubstr("The text of a string literal is written to. It would keep"));
  EXPECT_THAT(text("writable_globals", ".global .b32 $str; .entry scale(){ st.b32 [$str], 1; }"),
              HasSubstr("`$str` (4 bytes) is a variable"));
  EXPECT_THAT(text("writable_globals",
                   ".global .b32 __unnamed_1 = 1; .entry scale(){ st.b32 [__unnamed_1], 1; }"),
              HasSubstr("The text of a string literal"));
  EXPECT_THAT(text("writable_globals", ".const .b32 c = 1; .entry scale(){ st.b32 [c], 1; }"),
              HasSubstr("`c` (4 bytes) is a variable"));
}

// Code that only reads, as NVRTC 13.0 writes it for tables, string literals and iterators.
TEST_F(Policy, TablesThatAreOnlyRead) {
  for (const char* lines :
       {"ld.global.nc.f32 %f1, [table+4];",
        "mov.u64 %rd1, table; add.s64 %rd2, %rd1, %rd9; ld.global.nc.f32 %f1, [%rd2];",
        "mov.u64 %rd1, table; cvta.global.u64 %rd2, %rd1; ld.f32 %f1, [%rd2];",
        // An index out of the table.
        "mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1]; add.s64 %rd3, %rd8, %rd2; "
        "st.global.f32 [%rd3], %f1;",
        // An iterator that is compared with the end.
        "mov.u64 %rd1, table; L: add.s64 %rd1, %rd1, 4; setp.ne.s64 %p1, %rd1, %rd7; @%p1 bra L; "
        "st.global.f32 [%rd3], %f1;",
        // Pointers in local memory, by which it is read.
        "mov.u64 %rd1, table; st.local.u64 [%rd5], %rd1; ld.local.u64 %rd2, [%rd5]; "
        "ld.f32 %f1, [%rd2]; st.global.f32 [%rd3], %f1;",
        "mov.u64 %rd1, table; { .param .b64 param0; st.param.b64 [param0], %rd1; "
        "call.uni vprintf, (param0, param1); }",
        "mov.u64 %rd1, table; call.uni __assertfail, (%rd1);",
        "cp.async.ca.shared.global [%r1], [table], 4;",
        "mov.u64 %rd1, table; prefetch.global.L2 [%rd1]; isspacep.global %p1, %rd1;",
        "mov.u64 %rd1, table; wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd1], %r3;",
        "mov.u64 %rd1, table; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%rd1];",
        "mov.u64 %rd1, table; shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; st.b32 [%rd3], %r1;"}) {
    EXPECT_EQ(text("writable_globals", kernel(lines, kTable)), "") << lines;
  }
  // Through a function's parameter, and its result.
  EXPECT_EQ(
      text("writable_globals",
           std::string(kTable) +
               ".func (.param .b64 r) at(.param .b64 p) { ld.param.u64 "
               "%rd1, [p]; add.s64 %rd2, %rd1, 4; st.param.b64 [r], %rd2; "
               "ret; }\n" +
               kernel("mov.u64 %rd1, table; { .param .b64 a; .param .b64 b; st.param.b64 [a], "
                      "%rd1; call.uni (b), at, (a); ld.param.b64 %rd2, [b]; } "
                      "ld.f32 %f1, [%rd2];",
                      "")),
      "");
}

// Each way of an address to a store, an atomic operation, or code that cannot be looked into.
TEST_F(Policy, AddressesThatAreWrittenThrough) {
  const std::string at_end = " st.global.u32 [%rd2], 1;";
  for (const std::string& lines : std::vector<std::string>{
           "st.global.u32 [table], 1;", "st.volatile.u32 [table+4], 1;",
           "atom.global.add.u32 %r1, [table], 1;", "red.relaxed.gpu.global.add.u32 [table], 1;",
           "mov.u64 %rd2, table;" + at_end,
           "mov.u64 %rd1, table; add.s64 %rd2, %rd9, %rd1;" + at_end,
           "mov.u64 %rd1, table; cvta.global.u64 %rd3, %rd1; mov.b64 {%r1, %r2}, %rd3; "
           "mov.b64 %rd2, {%r1, %r2};" +
               at_end,
           "mov.u64 %rd1, table; selp.b64 %rd2, %rd8, %rd1, %p1;" + at_end,
           "mov.u64 %rd1, table; xor.b64 %rd3, %rd1, -1; not.b64 %rd2, %rd3;" + at_end,
           "mov.u64 %rd1, table; shfl.sync.idx.b32 %r1|%p1, %rd1, 0, 31, -1; cvt.u64.u32 %rd2, "
           "%r1;" +
               at_end,
           "mov.u64 %rd1, table; add.cc.u32 %r1, %r2, %rd1; addc.u32 %rd2, 0, 0;" + at_end,
           "mov.u64 %rd1, table; setp.gt.u64 %p1|%p2, %rd1, %rd7; @%p2 mov.u64 %rd2, 5;" + at_end,
           "mov.u64 %rd1, table; st.local.u64 [%rd5], %rd1; ld.local.u64 %rd2, [%rd5];" + at_end,
           "mov.u64 %rd1, table; st.u64 [%rd5], %rd1; ld.shared::cta.u64 %rd2, [%r5];" + at_end,
           "mov.u64 %rd1, table; st.shared.v2.u64 [%rd5], {%rd9, %rd1}; ld.v2.u64 {%rd8, %rd2}, "
           "[%r5];" +
               at_end,
           "mov.u64 %rd1, table; st.global.u64 [%rd5], %rd1; atom.global.exch.b64 %rd2, [%rd5], "
           "0;" +
               at_end,
           "mov.u64 %rd1, table; red.shared.or.b64 [%rd5], %rd1; ld.shared.u64 %rd2, [%rd5];" +
               at_end,
           "mov.u64 %rd1, table; st.shared.u64 [%r5], %rd1; cp.async.bulk.global.shared::cta "
           "[%rd6], "
           "[%r5], 16; ld.global.u64 %rd2, [%rd6];" +
               at_end,
           "mov.u64 %rd1, table; { .param .b64 a; st.param.b64 [a], %rd1; ld.param.u64 %rd2, [a]; "
           "}" +
               at_end,
           // A parameter whose address is taken.
           "mov.u64 %rd1, table; { .param .b64 a; st.param.b64 [a], %rd1; mov.b64 %rd3, a; "
           "ld.local.u64 %rd2, [%rd3]; }" +
               at_end,
           "cp.async.bulk.global.shared::cta.bulk_group [table], [%r1], 16;",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, "
           "[table];",
           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [table], {%r1};",
           "mov.u64 %rd1, table; mbarrier.init.shared.b64 [%rd1], 1;",
           "discard.global.L2 [table], 128;",
           "mov.u64 %rd1, table; st.global.u64 [%rd5], %rd1; "
           "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd5, {%r1}], [%r2];",
           "mov.u64 %rd1, table; call.uni elsewhere, (%rd1);",
           "mov.u64 %rd1, table; call (%r1), %rd5, (%rd1), prototype;",
           "mov.u64 %rd1, table; call free, (%rd1);"}) {
    EXPECT_EQ(found("writable_globals", kernel(lines, kTable)), "table") << lines;
  }
}

TEST_F(Policy, AddressesThatGoThroughFunctions) {
  const std::string give =
      ".func (.param .b64 r) give() { mov.u64 %rd1, table; st.param.b64 [r], "
      "%rd1; ret; }\n";
  const std::string store =
      ".func store(.param .b64 p) { ld.param.u64 %rd1, [p]; st.u32 [%rd1], 1; ret; }\n";
  EXPECT_EQ(
      found("writable_globals",
            kTable + give +
                kernel("call.uni (b), give, (); ld.param.b64 %rd2, [b]; st.u32 [%rd2], 1;", "")),
      "table");
  EXPECT_EQ(found("writable_globals",
                  kTable + store +
                      kernel("mov.u64 %rd1, table; st.param.b64 [a], %rd1; call store, (a);", "")),
            "table");
  // By a pointer to the function, and under another name.
  EXPECT_EQ(found("writable_globals",
                  kTable + give +
                      kernel("mov.u64 %rd9, give; call (b), %rd9, (), pr; ld.param.b64 %rd2, [b]; "
                             "st.u32 [%rd2], 1;",
                             "")),
            "table");
  EXPECT_EQ(found("writable_globals",
                  kTable + store + ".alias other, store;\n" +
                      kernel("mov.u64 %rd1, table; st.param.b64 [a], %rd1; call other, (a);", "")),
            "table");
  // A function of its own with a system's name is looked into.
  EXPECT_EQ(
      found("writable_globals",
            kTable +
                std::string(".func vprintf(.param .b64 p) { ld.param.u64 %rd1, [p]; "
                            "st.u32 [%rd1], 1; ret; }\n") +
                kernel("mov.u64 %rd1, table; st.param.b64 [a], %rd1; call vprintf, (a);", "")),
      "table");
  EXPECT_THAT(
      text("writable_globals", kernel("mov.u64 %rd1, table; call.uni elsewhere, (%rd1);", kTable)),
      HasSubstr("goes to a function that the grader cannot look into"));
  EXPECT_THAT(text("writable_globals", kernel("stmatrix.x [table], {%r1};", kTable)),
              HasSubstr("an instruction that might write to it"));
}

TEST_F(Policy, AddressesInOtherVariables) {
  const std::string pointers =
      std::string(kTable) + ".global .align 8 .u64 pointers[2] = {generic(table), table+4};\n";
  EXPECT_EQ(found("writable_globals",
                  kernel("ld.global.u64 %rd2, [pointers]; st.u32 [%rd2], 1;", pointers)),
            "table");
  EXPECT_EQ(text("writable_globals",
                 kernel("ld.global.u64 %rd2, [pointers]; ld.u32 %r1, [%rd2];", pointers)),
            "");
}

TEST_F(Policy, WhatCannotBeReadIsForbidden) {
  const std::string odd = std::string(kPtx) + ".pragma \"\\\";";
  EXPECT_THAT(apply({"nanosleep"}, odd).forbidden, SizeIs(1));
  EXPECT_THAT(text("nanosleep", odd), HasSubstr("inline assembly"));
  PtxPolicy policy;
  policy.flag.push_back({"%clock64", {}});
  const PolicyFindings findings = apply_policy(policy, ptx_contents(odd), {"scale"}, "scale.cu");
  EXPECT_FALSE(findings.allowed());
  EXPECT_THAT(findings.forbidden, SizeIs(1));
  EXPECT_THAT(findings.flagged, SizeIs(1));
}

TEST_F(Policy, NothingForbiddenFindsNothing) {
  EXPECT_THAT(apply({}).forbidden, IsEmpty());
  EXPECT_THAT(apply({"trap", "red", "nanosleep", "%globaltimer"}).forbidden, IsEmpty());
}

TEST_F(Policy, NamesAreShownShort) {
  const std::string name(5000, 'x');
  const std::string ptx = ".global .b8 " + name + "; .entry scale(){ st.u8 [" + name + "], 1; }";
  EXPECT_LT(text("writable_globals", ptx).size(), 600U);
}

TEST_F(Policy, NamesAreCutBehindEightyCharacters) {
  const auto store = [](const std::string& name) {
    return ".global .b8 " + name + "; .entry scale(){ st.global.u8 [" + name + "], 1; }";
  };
  const std::string whole = "y" + std::string(79, 'x');
  EXPECT_THAT(text("writable_globals", store(whole)), HasSubstr("`" + whole + "`"));
  EXPECT_THAT(text("writable_globals", store(whole + "x")), HasSubstr("`" + whole + "…`"));
}

TEST_F(Policy, PlacesAreOfTheSubmittedFileOrNamed) {
  const auto use = [](const std::string& loc) {
    return ".file 1 \"scale.cu\"\n.file 2 \"other.h\"\n.entry scale(){\n" + loc +
           "\natom.global.add.u32 %r1, [%rd4], 1;\n}\n";
  };
  const auto finding = [&](const std::string& loc) {
    return apply({"atom"}, use(loc)).forbidden.at(0);
  };
  EXPECT_THAT(finding(".loc 1 1 0").text, testing::StartsWith("Line 1 uses "));
  EXPECT_EQ(finding(".loc 1 1 0").line, 1);
  EXPECT_THAT(finding(".loc 2 7 0").text, testing::StartsWith("Line 7 of other.h uses "));
  EXPECT_EQ(finding(".loc 2 7 0").line, 0);
  EXPECT_THAT(finding(".loc 1 0 0").text, testing::StartsWith("The code uses "));
  EXPECT_THAT(finding("").text, testing::StartsWith("The code uses "));
}

TEST_F(Policy, WhatHasNoPlaceHasNoLine) {
  const std::string declared =
      ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.entry scale(){ ret; }\n";
  EXPECT_EQ(apply({"malloc"}, declared).forbidden.at(0).line, 0);
  EXPECT_EQ(apply({"entries"}, ".entry other(){ ret; }\n").forbidden.at(0).line, 0);
  EXPECT_EQ(apply({}, ".entry scale(){ ret; } \x01").forbidden.at(0).line, 0);
}

TEST_F(Policy, OfTwoUsesInALineTheFirstByName) {
  EXPECT_EQ(found("atom",
                  ".entry scale(){ atom.shared.min.u32 %r1, [%rd4], 1; "
                  "atom.global.add.u32 %r1, [%rd4], 1; }"),
            "atom.global.add.u32");
}

TEST_F(Policy, AConstantHidesNoVariableBehindIt) {
  const auto store = [](const std::string& loc) {
    return ".file 1 \"scale.cu\"\n.global .b8 table[4] = {1, 2, 3, 4};\n.global .b8 kept[4];\n"
           ".entry scale(){\n" +
           loc + "\nld.global.u8 %r1, [table];\nst.global.u8 [kept], 1;\n}\n";
  };
  EXPECT_EQ(found("writable_globals", store("")), "kept");
  EXPECT_THAT(text("writable_globals", store("")), testing::Not(HasSubstr("; line ")));
  EXPECT_THAT(text("writable_globals", store(".loc 1 1 0")), HasSubstr("; line 1 does it"));
}

TEST(StaticMemory, MoreThanAllowed) {
  const PtxContents contents =
      ptx_contents(".global .b8 big[274877906944]; .global .b8 small[4]; .shared .b8 s[9999];");
  EXPECT_EQ(static_memory_excess(contents, uint64_t{1} << 30),
            "The file's own variables take 256 GiB of device memory, and 1 GiB are allowed; the "
            "largest is `big` with 256 GiB. The kernel's arguments are allocated by the grader.");
  EXPECT_EQ(static_memory_excess(contents, uint64_t{1} << 40), "");
}

TEST(StaticMemory, ExactlyWhatIsAllowed) {
  // The largest is not the first, and one of another space is larger.
  const PtxContents contents =
      ptx_contents(".shared .b8 s[9000000]; .global .b8 a[4]; .global .b8 b[4194300];");
  EXPECT_EQ(static_memory_excess(contents, 4 << 20), "");
  EXPECT_EQ(static_memory_excess(contents, (4 << 20) - 1),
            "The file's own variables take 4194304 bytes of device memory, and 4194303 bytes are "
            "allowed; the largest is `b` with 4194300 bytes. The kernel's arguments are allocated "
            "by the grader.");
  EXPECT_EQ(static_memory_excess(ptx_contents(".shared .b8 s[9000000];"), 0), "");
  EXPECT_THAT(static_memory_excess(ptx_contents(".global .b8 a[4]; .global .b8 b[4];"), 1),
              HasSubstr("the largest is `a` with 4 bytes"));
}

}  // namespace
}  // namespace warpmark
