// Whole texts that no device accepts, which the toolkit's assembler refuses, too, where it is at
// hand: files without a header, wrong declarations, and what would grow without end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/ptx/verdict.hpp"

namespace warpmark::cpu {
namespace {

// Whole texts.
const std::vector<std::string> kTexts = {
    "",
    "hello",
    ".version 9.0\n",
    ".target sm_90\n.version 9.0\n",
    ".version 9\n.target sm_90\n",
    ".version 9.0\n.target sm_95\n.address_size 64\n",
    ".version 9.0\n.target sm_90, foo\n",
    ".version 9.0\n.address_size 64\n.entry k(){ret;}",
    kHeader + ".version 8.0\n",
    ".version 8.9\n.target sm_90\n.address_size 64\n",
    ".version 7.9\n.target sm_90\n.address_size 64\n",
    ".version 7.7\n.target sm_90\n.address_size 64\n.entry k(){ret;}",
    ".version 7.8\n.target sm_90a\n.address_size 64\n.entry k(){ret;}",
    ".version 6.2\n.target sm_75\n.address_size 64\n.entry k(){ret;}",
    ".version 8.7\n.target sm_100f\n.address_size 64\n.entry k(){ret;}",
    kHeader + ".shared .u32 x=4;",
    kHeader + ".shared .u32 x[2]={1,2};",
    kHeader + ".entry k(){.local .u32 x=4; ret;}",
    kHeader + ".func f(){ret;}\n.alias g,f;",
    kHeader + ".func f(){ret;}\n.func g();\n.alias g,h;",
    kHeader + ".func f(){ret;}\n.func g();\n.alias g f;",
    kHeader + ".func f(){ret;}\n.func g(){ret;}\n.alias g,f;",
    kHeader + ".func f(){ret;}\n.func g(.param .b32 a);\n.alias g,f;",
    kHeader + ".weak .func f(){ret;}\n.visible .func g();\n.alias g,f;",
    kHeader + ".entry k(){ret;}\n.entry e();\n.alias e,k;",
    kHeader + ".target sm_80\n",
    kHeader + ".address_size 64\n",
    kHeader + ".global .b8 x[1<<38];",
    kHeader + ".global .b8 x[0];",
    kHeader + ".global .b8 x[-1];",
    kHeader + ".global .b32 x[2] = {1,2,3};",
    kHeader + ".global .b32 x = nosuch;",
    kHeader + ".global .f32 f = 1;",
    kHeader + ".global .u32 f = 1.0;",
    kHeader + ".const .b8 x[70000];",
    kHeader + ".global .pred p;",
    kHeader + ".global .align 3 .b8 x[4];",
    kHeader + ".local .b8 x[4];",
    kHeader + ".param .b8 x[4];",
    kHeader + ".global .b8 x[4]; .global .b8 x[4];",
    kHeader + ".reg .b32 %r;",
    kHeader + ".func f(",
    kHeader + "}",
    kHeader + "{",
    kHeader + ".entry e(){ret;} .entry e(){ret;}",
    kHeader + ".entry e(){",
    kHeader + ".nosuch",
    kHeader + ".section .x",
    kHeader + ".global .b8 s[3]=\"ab\";",
    kHeader + ".global .u8 t={1};",
    kHeader + ".global .u32 a[];",
    kHeader + ".global .f32 x = 0f3F8;",
    kHeader + ".global .u32 a.b;",
    kHeader + ".global .u32 9a;",
    kHeader + ".file 1 \"a\\\"b\"",
    kHeader + ".file 1 \"a\\",
    kHeader + ".entry k(.param .u64 a, .param .u64 a){ret;}",
    kHeader + ".entry k(.param .b8 a[33000]){ret;}",
    kHeader + ".entry (.param .b32 r) k(){ret;}",
    kHeader + ".entry k() .maxntid 32 .reqntid 64 {ret;}",
    kHeader + ".entry k() .foo 3 {ret;}",
    kHeader + ".entry k() {ret;} x",
    kHeader + ".entry k() {ret}",
    // parameters and results in registers
    kHeader + ".entry k(.reg .u32 %a){ret;}",
    kHeader + ".func f(.reg .u32 %a<2>){ret;}\n.entry k(){ret;}",
    kHeader + ".func (.reg .u32 %r) f(.reg .u32 %r){ret;}",
    kHeader + ".func f(.reg .u32 %r){.reg .u32 %r; ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .f32 %f; call f, (%f); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .u64 %d; call f, (%d); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){.reg .u32 %r; call f, (%r+1); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){call f, (%tid.x); ret;}",
    kHeader + ".func f(.reg .u32 %a){ret;}\n.entry k(){call f; ret;}",
    kHeader + ".func (.reg .u32 %r) f(){ret;}\n.entry k(){call f, (); ret;}",
    kHeader + ".func f(.reg .pred %p){ret;}\n.entry k(){.reg .pred %p; call f, (%p); ret;}",
    kHeader + ".func f(){ret;}\n.entry k(){.reg .b64 %d; mov.u64 %d, f; call %d; ret;}",
    kHeader + ".func f(){ret;}\n.entry k(){P: .callprototype _ (); call f, (), P; ret;}",
    // initial values, and variables
    kHeader + ".global .f32 x = -0f3F800000;",
    kHeader + ".global .u64 x = f;\n.func f(){ret;}",
    kHeader + ".global .u64 x[2] = {x, 0};",
    kHeader + ".global .u32 y;\n.global .b64 x = y;",
    kHeader + ".global .u32 y;\n.global .b32 x = y;",
    kHeader + ".global .u32 y;\n.global .u16 x = y;",
    kHeader + ".global .u32 y;\n.global .u8 x = y;",
    kHeader + ".global .u32 y;\n.global .b8 x = 0xFF(y);",
    kHeader + ".global .u32 y;\n.global .u16 x = 0xFF(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFFFF(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFF0(y);",
    kHeader + ".global .u32 y;\n.global .u8 x = 255(nosuch);",
    kHeader + ".global .u32 y;\n.global .u8 x = 0xFF(y)+4;",
    kHeader + ".func f(){ret;}\n.global .u64 x = f+4;",
    kHeader + ".global .f16 x = 1.5;",
    kHeader + ".global .bf16 x;",
    kHeader + ".global .v4 .f64 x;",
    kHeader + ".shared .b8 s[];",
    kHeader + ".texref t;",
    kHeader + ".entry k(){.global .texref t; ret;}",
    // what a kernel and a function need and offer
    kHeader + ".entry k(.param .f16x2 p){ret;}",
    kHeader + ".entry k(.param .b8 p[]){ret;}",
    kHeader + ".entry k() .maxntid 0 {ret;}",
    kHeader + ".entry k() .maxntid 4294967297 {ret;}",
    kHeader + ".entry k() .maxclusterrank 4294967296 {ret;}",
    kHeader + ".entry k() .pragma nounroll; {ret;}",
    kHeader + ".pragma nounroll;",
    kHeader + ".pragma \"nounroll\"\n.entry k(){ret;}",
    kHeader + ".file 1 \"a\"\n.file 1 \"b\"\n.entry k(){ret;}",
    kHeader + ".func (.param .b32 a) f(.param .b32 a){ret;}",
    kHeader + ".func f(.param .b32 a){.reg .b32 a; ret;}",
    // functions that no kernel calls
    kHeader + ".func f(){foo.u32 %r1; ret;}\n.entry k(){ret;}",
    kHeader + ".func f(.param .b32 a){.reg .b32 %r; ld.param.u32 %r, [b]; ret;}\n.entry k(){ret;}",
    kHeader + ".func g();\n.func f(){call g,(); ret;}\n.entry k(){ret;}",
    kHeader + ".entry k() .reqntid 32,1,1,1 {ret;}",
    kHeader + ".entry k() .noreturn {ret;}",
    kHeader + ".func f() .maxntid 32 {ret;}",
    kHeader + ".entry k(.param .b8 p[32765]){ret;}",
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .b8 p[4353]){ret;}",
};

TEST(RejectedTexts, WrongTextsAreRefused) {
  for (const std::string& text : kTexts) {
    bool unsupported = false;
    EXPECT_NE(verdict(text, nullptr, &unsupported), "") << text << " is taken";
    EXPECT_FALSE(unsupported) << text;
  }
}

TEST(RejectedTexts, TheAssemblerAgrees) {
  if (!have_ptxas()) GTEST_SKIP() << "no ptxas";
  for (const std::string& text : kTexts) EXPECT_FALSE(ptxas_takes(text)) << text;
}

// PTX ISA 8.8, ld and st: .v8 is of .b32, .u32, .s32 and .f32, in global memory from sm_100 on.
// ptxas 13.0 itself crashes on other types.
TEST(RejectedTexts, VectorsOfEightHaveElementsOfFourBytes) {
  const auto text = [](const std::string& type) {
    return ".version 9.0\n.target sm_100\n.address_size 64\n"
           ".visible .entry k(.param .u64 p) {\n.reg .b64 %rd<2>; .reg .b16 %h<9>;\n"
           ".reg .b32 %r<9>; ld.param.u64 %rd1, [p];\nld.global.v8." +
           type + ", [%rd1]; ret; }";
  };
  EXPECT_EQ(verdict(text("b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}")), "");
  for (const char* narrow : {"b8", "u8", "b16", "s16"}) {
    EXPECT_THAT(verdict(text(narrow + std::string(" {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}"))),
                testing::HasSubstr(".v8"))
        << narrow;
  }
}

TEST(RejectedTexts, NothingGrowsWithoutEnd) {
  const auto many = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  EXPECT_NE(verdict(kernel(many("{", 100000))), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("(", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("-", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1, " + many("1?", 100000) + "1")), "");
  EXPECT_NE(verdict(kernel("mov.b64 %rd1, " + many("{", 100000))), "");
  EXPECT_NE(verdict(kernel("mov.u32 %r1" + many(", %r1", 100000))), "");
  EXPECT_NE(verdict(kernel("T: .branchtargets A" + many(", A", 100000) + "; A: brx.idx %r1, T")),
            "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[" + many("1][", 1000) + "18446744073709551615];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[4][4294967296][4294967296];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[274877906944];"), "");
  EXPECT_NE(verdict(kHeader + ".global .b8 x[1] = " + many("{", 100000)), "");
  EXPECT_NE(verdict(kernel(".local .b8 l[4000000000]")), "");
  EXPECT_NE(verdict(kHeader + ".entry k(" + many(".param .b64 p, ", 10000) + ".param .b8 q){ret;}"),
            "");
}

}  // namespace
}  // namespace warpmark::cpu
