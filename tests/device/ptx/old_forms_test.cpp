// Forms that texts of old versions may have and later ones may not, and vectors of registers, with
// the verdicts of ptxas, which is asked itself where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/ptx/verdict.hpp"

namespace warpmark::cpu {
namespace {

struct Row {
  std::string version, target, text;
  bool taken = true;
};

const std::string kStored =
    ".reg .u32 r; .reg .u64 d; ld.param.u64 d, [p]; st.global.u32 [d], r; exit; }";

const std::vector<Row> kRows = {
    // Targets and the versions that they came with.
    {"1.1", "sm_12", ".entry k { exit; }", false},
    {"1.2", "sm_12", ".entry k { exit; }"},
    {"1.4", "sm_20", ".entry k () { exit; }", false},
    {"2.0", "sm_21", ".entry k () { exit; }"},
    {"2.3", "sm_30", ".entry k () { exit; }", false},
    {"3.0", "sm_35", ".entry k () { exit; }", false},
    {"3.1", "sm_35", ".entry k () { exit; }"},
    {"4.0", "sm_32", ".entry k () { exit; }"},
    {"4.1", "sm_53", ".entry k () { exit; }", false},
    {"5.0", "sm_62", ".entry k () { exit; }"},
    {"5.0", "sm_70", ".entry k () { exit; }", false},
    {"5.1", "sm_70", ".entry k () { exit; }"},
    {"9.0", "sm_14", ".entry k () { exit; }", false},
    // Parameters of kernels.
    {"1.3", "sm_13", ".entry k { .param .u64 p; " + kStored},
    {"1.0", "sm_10", ".entry k { .param .u32 q; { .param .u64 p; " + kStored + "}"},
    {"1.4", "sm_10", ".entry k (.param .u64 p) { " + kStored},
    // Roundings and approximations.
    {"1.4", "sm_10", ".entry k () { .reg .f32 f; mad.f32 f, f, f, f; exit; }"},
    {"2.3", "sm_13", ".entry k () { .reg .f32 f; mad.sat.f32 f, f, f, f; exit; }"},
    {"9.0", "sm_12", ".entry k () { .reg .f32 f; mad.f32 f, f, f, f; exit; }"},
    {"2.0", "sm_20", ".entry k () { .reg .f32 f; mad.rn.f32 f, f, f, f; exit; }"},
    {"9.0", "sm_90", ".entry k () { .reg .f32 f; mad.f32 f, f, f, f; ret; }", false},
    {"1.3", "sm_13", ".entry k { .reg .f64 f; mad.f64 f, f, f, f; exit; }"},
    {"1.4", "sm_13", ".entry k () { .reg .f64 f; mad.f64 f, f, f, f; exit; }", false},
    {"1.3", "sm_10", ".entry k { .reg .f32 f; div.f32 f, f, f; sqrt.f32 f, f; exit; }"},
    {"1.4", "sm_10", ".entry k () { .reg .f32 f; div.f32 f, f, f; exit; }", false},
    {"1.4", "sm_10", ".entry k () { .reg .f32 f; sin.f32 f, f; exit; }", false},
    {"1.3", "sm_10", ".entry k { .reg .f32 f; sin.f32 f, f; cos.f32 f, f; exit; }"},
    {"1.3", "sm_10", ".entry k { .reg .f32 f; lg2.f32 f, f; ex2.f32 f, f; exit; }"},
    {"1.3", "sm_13", ".entry k { .reg .f64 f; rcp.f64 f, f; exit; }", false},
    {"1.3", "sm_13", ".entry k { .reg .f32 f; .reg .u32 r; cvt.u32.f32 r, f; exit; }", false},
    // Declarations outside of functions.
    {"2.3", "sm_20", ".reg .u32 %ra<17>; .reg .f32 %fa; .local .u32 l; .entry k () { exit; }"},
    {"3.0", "sm_20", ".reg .u32 %ra<17>; .entry k () { exit; }", false},
    {"9.0", "sm_90", ".local .u32 l; .entry k () { exit; }", false},
    {"1.4", "sm_10", ".tex .u64 t; .tex .u32 u, v; .entry k () { exit; }"},
    {"1.4", "sm_10", ".tex .b64 t; .entry k () { exit; }", false},
    {"1.5", "sm_10", ".tex .u64 t; .entry k () { exit; }", false},
    // Functions.
    {"2.1", "sm_20",
     ".visible .func (.param .s32 r) f (.param .s32 a)\n.visible .func g (.param .s32 a)\n"
     ".visible .func (.param .s32 r) f (.param .s32 a) { ret; }\n"
     ".visible .func g (.param .s32 a) { ret; }\n.entry k () { exit; }"},
    {"9.0", "sm_90", ".func f (.param .u32 a)\n.global .u32 x;\n.func f (.param .u32 a) { ret; }"},
    {"9.0", "sm_90", ".entry k ()\n.entry k () { ret; }", false},
    {"9.0", "sm_90", ".func (.reg .pred p) f (.reg .u16 a) { ret; } .entry k () { ret; }"},
    {"9.0", "sm_90",
     ".func (.reg .pred p) f () { ret; } .entry k () { .reg .pred q; call (q), f; ret; }", false},
    {"9.0", "sm_90",
     ".func f (.reg .u16 a) { ret; } .entry k () { .reg .u16 h; call f, (h); ret; }", false},
    {"9.0", "sm_90", ".func f (.reg .u8 a) { ret; } .entry k () { .reg .u8 h; call f, (h); ret; }",
     false},
    {"9.0", "sm_90",
     ".func f (.reg .b16 a) { ret; } .entry k () { .reg .u16 h; call f, (h); ret; }"},
    {"9.0", "sm_90",
     ".func (.reg .f16 r) f (.reg .b8 a) { ret; } .entry k () { .reg .b8 b; .reg .f16 h; call (h), "
     "f, (b); ret; }"},
    {"2.3", "sm_20",
     ".reg .u32 %ra1; .func (.reg .pred p) f (.reg .u16 a, .reg .pred b) { setp.eq.and.u16 p, a, "
     "1, "
     "b; ret; } .entry k () { .reg .u16 h; .reg .pred q; call (q), f, (h, q); exit; }"},
    {"2.3", "sm_20",
     ".reg .u32 %ra1; .func f (.reg .pred b) { ret; } .entry k () { call f, (1); exit; }", false},
    // Vectors of registers.
    {"9.0", "sm_90",
     ".entry k () { .reg .v4 .f32 v, w<3>; .reg .v2 .f64 d; .reg .v4 .b8 b; ret; }"},
    {"9.0", "sm_90", ".entry k () { .reg .v2 .pred p; ret; }", false},
    {"9.0", "sm_90", ".entry k () { .reg .v4 .f64 v; ret; }", false},
    {"9.0", "sm_90", ".entry k () { .reg .v4 .f32 v; .reg .u32 v; ret; }", false},
    {"9.0", "sm_90", ".entry k () { .reg .v4 .f32 v<2>; add.f32 v1.x, v0.a, v1.w; ret; }"},
    {"9.0", "sm_90", ".entry k () { .reg .v4 .f32 v; add.f32 v, v, v; ret; }", false},
    {"9.0", "sm_90", ".entry k () { .reg .v4 .f32 v; mov.f32 v.q, v.x; ret; }", false},
    {"9.0", "sm_90", ".entry k () { .reg .f32 v; mov.f32 v.x, v; ret; }", false},
    {"9.0", "sm_90",
     ".entry k (.param .u64 p) { .reg .v4 .f32 v; .reg .u64 d; ld.param.u64 d, [p]; "
     "ld.global.v4.f32 v, [d]; st.global.v2.f32 [d], {v.w, v.y}; st.global.v4.b32 [d], v; ret; }"},
    {"9.0", "sm_90",
     ".entry k (.param .u64 p) { .reg .v2 .f32 v; .reg .u64 d; ld.param.u64 d, [p]; "
     "ld.global.v4.f32 v, [d]; ret; }",
     false},
    {"9.0", "sm_90",
     ".entry k () { .reg .v2 .b32 v; .reg .b64 d; mov.b64 d, v; mov.b64 v, d; ret; }"},
    {"9.0", "sm_90",
     ".func (.reg .v2 .u32 r) f (.reg .v4 .f32 a) { mov.b32 r.x, a.w; ret; } .entry k () { .reg "
     ".v4 "
     ".f32 v; .reg .v2 .u32 w; call (w), f, (v); ret; }"},
    {"9.0", "sm_90",
     ".func f (.reg .v4 .f32 a) { ret; } .entry k () { .reg .v2 .f32 v; call f, (v); ret; }",
     false},
};

TEST(OldForms, AreTakenWherePtxasTakesThem) {
  for (const Row& row : kRows) {
    const std::string text =
        ".version " + row.version + "\n.target " + row.target + "\n" + row.text + "\n";
    bool unsupported = false;
    const std::string said = verdict(text, nullptr, &unsupported);
    EXPECT_EQ(said.empty(), row.taken) << text << said;
    EXPECT_FALSE(unsupported) << text;
    if (have_ptxas()) {
      EXPECT_EQ(ptxas_takes(text), row.taken) << text;
    }
  }
}

// Images by their names are there, however the text declares them; no memory is.
TEST(OldForms, TexturesByName) {
  const std::string head =
      ".version 1.4\n.target sm_10, map_f64_to_f32\n.tex .u64 t;\n.entry k () { .reg .f32 %f<5>; "
      ".reg .s32 %r<5>; .reg .u64 %d;\n";
  EXPECT_EQ(verdict(head + "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}]; exit; }"),
            "");
  EXPECT_THAT(verdict(head + "ld.global.u64 %d, [t]; exit; }"),
              ::testing::HasSubstr("'t' is a texture or surface, which has no memory"));
}

}  // namespace
}  // namespace warpmark::cpu
