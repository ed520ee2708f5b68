// Kernels as nvcc 1 to 3 wrote them: what they compute with the defaults of their .version and
// .target, against the same instructions as they are spelled today.
#include <algorithm>
#include <functional>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

struct Old {
  std::string version, target;
};
const std::vector<Old> kSm1x = {{"1.0", "sm_10"}, {"1.3", "sm_13"}, {"1.4", "sm_10"},
                                {"1.5", "sm_12"}, {"2.3", "sm_11"}, {"9.0", "sm_13"}};

// A text of one kernel: before .version 1.4 its parameters stand in its body.
std::string text_of(const Old& old, const std::string& before, const std::string& body) {
  const bool inside = old.version < "1.4";
  const std::string in = ".param .u64 __cudaparm_k_in", out = ".param .u64 __cudaparm_k_out";
  return ".version " + old.version + "\n.target " + old.target + "\n" + before +
         (inside ? ".entry k {\n" + in + ";\n" + out + ";\n"
                 : ".entry k (" + in + ", " + out + ") {\n") +
         R"(.reg .u16 %rh<6>; .reg .u32 %r<20>; .reg .u64 %rd<20>; .reg .f32 %f<20>;
         .reg .f64 %fd<9>; .reg .pred %p<9>;
         .loc 14 3 0
$LBB1_k:
         mov.u16 %rh1, %ctaid.x;
         mov.u16 %rh2, %ntid.x;
         mul.wide.u16 %r1, %rh1, %rh2;
         cvt.u32.u16 %r2, %tid.x;
         add.u32 %r3, %r2, %r1;
         cvt.u64.u32 %rd1, %r3;
         mul.lo.u64 %rd2, %rd1, 32;
         ld.param.u64 %rd3, [__cudaparm_k_in];
         add.u64 %rd4, %rd3, %rd2;
         mul.lo.u64 %rd5, %rd1, 8;
         ld.param.u64 %rd6, [__cudaparm_k_out];
         add.u64 %rd7, %rd6, %rd5;
         ld.global.f32 %f1, [%rd4+0];
         ld.global.f32 %f2, [%rd4+8];
         ld.global.f32 %f3, [%rd4+16];
         ld.global.u32 %r4, [%rd4+0];
         ld.global.u32 %r5, [%rd4+8];
         ld.global.f64 %fd1, [%rd4+24];
         ld.global.f64 %fd2, [%rd4+16];
         mov.u64 %rd8, 0;
         st.global.u64 [%rd7+0], %rd8;
)" + body +
         R"(
         exit;
$LDWend_k:
} // k
)";
}

// Numbers with all that is small among them.
std::vector<std::array<U, 4>> rows() {
  std::mt19937_64 random(41);
  const std::vector<U> narrow = edges32(), wide = edges64();
  std::vector<std::array<U, 4>> all(2048);
  for (auto& row : all) {
    for (std::size_t i = 0; i < 3; ++i) {
      row.at(i) = narrow[random() % narrow.size()];
      if (random() % 3 == 0) row.at(i) = random() & 0xffffffff;
      if (random() % 3 == 0) row.at(i) = random() & 0x80ffffff;  // about the least normal number
    }
    row[3] = random() % 2 == 0 ? wide[random() % wide.size()] : random();
    if (random() % 4 == 0)
      row[3] = (row[3] & 0x800fffffffffffff) | U{0x380 + random() % 3 - 25} << 52;
  }
  return all;
}

void same(const std::vector<Old>& olds, const std::string& old_way, const std::string& later,
          const std::string& store) {
  const auto table = rows();
  const std::vector<U> want =
      run_text(2, text_of({"9.0", "sm_90"}, "", later + "; " + store + ";"), table, later);
  for (const Old& old : olds) {
    const std::vector<U> have =
        run_text(2, text_of(old, "", old_way + "; " + store + ";"), table, old_way);
    for (std::size_t i = 0; i < table.size(); ++i) {
      ASSERT_EQ(have[i], want[i]) << old_way << " of .version " << old.version << " for "
                                  << old.target << std::hex << ": " << table[i][0] << ", "
                                  << table[i][1] << ", " << table[i][2] << ", " << table[i][3];
    }
  }
}

const std::string kSingle = "st.global.f32 [%rd7+0], %f0", kWord = "st.global.u32 [%rd7+0], %r0",
                  kDouble = "st.global.f64 [%rd7+0], %fd0";

TEST(OldTexts, FlushSubnormalNumbersOfSm1x) {
  struct Row {
    std::string old_way, later, store = kSingle;
  };
  const std::vector<Row> kRows = {
      {"add.f32 %f0, %f1, %f2", "add.ftz.f32 %f0, %f1, %f2"},
      {"sub.f32 %f0, %f1, %f2", "sub.ftz.f32 %f0, %f1, %f2"},
      {"mul.rz.f32 %f0, %f1, %f2", "mul.rz.ftz.f32 %f0, %f1, %f2"},
      {"mul.sat.f32 %f0, %f1, %f2", "mul.ftz.sat.f32 %f0, %f1, %f2"},
      {"mad.f32 %f0, %f1, %f2, %f3", "fma.rn.ftz.f32 %f0, %f1, %f2, %f3"},
      {"mad.sat.f32 %f0, %f1, %f2, %f3", "fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3"},
      {"abs.f32 %f0, %f1", "abs.ftz.f32 %f0, %f1"},
      {"neg.f32 %f0, %f1", "neg.ftz.f32 %f0, %f1"},
      {"min.f32 %f0, %f1, %f2", "min.ftz.f32 %f0, %f1, %f2"},
      {"max.f32 %f0, %f1, %f2", "max.ftz.f32 %f0, %f1, %f2"},
      {"set.lt.f32.f32 %f0, %f1, %f2", "set.lt.ftz.f32.f32 %f0, %f1, %f2"},
      {"set.geu.u32.f32 %r0, %f1, %f2", "set.geu.ftz.u32.f32 %r0, %f1, %f2", kWord},
      {"set.lt.f32.s32 %f0, %r4, %r5", "set.lt.f32.s32 %f0, %r4, %r5"},
      {"setp.eq.f32 %p1, %f1, %f2; selp.u32 %r0, 1, 0, %p1",
       "setp.eq.ftz.f32 %p1, %f1, %f2; selp.u32 %r0, 1, 0, %p1", kWord},
      {"slct.f32.f32 %f0, %f1, %f2, %f3", "slct.ftz.f32.f32 %f0, %f1, %f2, %f3"},
      {"slct.f32.s32 %f0, %f1, %f2, %r4", "slct.f32.s32 %f0, %f1, %f2, %r4"},
      {"selp.f32 %f0, %f1, %f2, %p1", "selp.f32 %f0, %f1, %f2, %p1"},
      {"mov.f32 %f0, %f1", "mov.f32 %f0, %f1"},
      {"cvt.rpi.s32.f32 %r0, %f1", "cvt.rpi.ftz.s32.f32 %r0, %f1", kWord},
      {"cvt.f32.f32 %f0, %f1", "cvt.ftz.f32.f32 %f0, %f1"},
      {"cvt.rmi.f32.f32 %f0, %f1", "cvt.rmi.ftz.f32.f32 %f0, %f1"},
      {"cvt.sat.f32.f32 %f0, %f1", "cvt.ftz.sat.f32.f32 %f0, %f1"},
      {"cvt.rn.f32.s32 %f0, %r4", "cvt.rn.f32.s32 %f0, %r4"},
      {"cvt.rzi.u32.f64 %r0, %fd1", "cvt.rzi.u32.f64 %r0, %fd1", kWord},
      {"add.f64 %fd0, %fd1, %fd2", "add.f64 %fd0, %fd1, %fd2", kDouble},
  };
  for (const Row& row : kRows) same(kSm1x, row.old_way, row.later, row.store);
  // From sm_20 on they do not.
  const std::vector<Old> sm20 = {{"2.0", "sm_20"}, {"3.0", "sm_30"}, {"4.0", "sm_35"}};
  same(sm20, "add.f32 %f0, %f1, %f2", "add.f32 %f0, %f1, %f2", kSingle);
  same(sm20, "set.lt.f32.f32 %f0, %f1, %f2", "set.lt.f32.f32 %f0, %f1, %f2", kSingle);
}

TEST(OldTexts, ConvertBetweenSinglesAndDoublesByVersion) {
  const std::vector<Old> first = {{"1.0", "sm_10"}, {"1.4", "sm_13"}},
                         then = {{"1.5", "sm_10"}, {"2.0", "sm_13"}, {"9.0", "sm_12"}};
  same(first, "cvt.f64.f32 %fd0, %f1", "cvt.f64.f32 %fd0, %f1", kDouble);
  same(first, "cvt.rn.f32.f64 %f0, %fd1", "cvt.rn.f32.f64 %f0, %fd1", kSingle);
  same(then, "cvt.f64.f32 %fd0, %f1", "cvt.ftz.f64.f32 %fd0, %f1", kDouble);
  same(then, "cvt.rn.f32.f64 %f0, %fd1", "cvt.rn.ftz.f32.f64 %f0, %fd1", kSingle);
}

TEST(OldTexts, ApproximateWhereTheyDoNotSayHow) {
  const std::vector<Old> before = {{"1.0", "sm_10"}, {"1.3", "sm_13"}};
  const std::vector<Old> after = {{"1.4", "sm_10"}, {"2.0", "sm_13"}};
  for (const std::string name : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"}) {
    const std::string later = name + ".approx.ftz.f32 %f0, %f1";
    same(before, name + ".f32 %f0, %f1", later, kSingle);
    same(after, name + ".approx.f32 %f0, %f1", later, kSingle);
  }
  same(before, "div.f32 %f0, %f1, %f2", "div.approx.ftz.f32 %f0, %f1, %f2", kSingle);
  same(after, "div.full.f32 %f0, %f1, %f2", "div.full.ftz.f32 %f0, %f1, %f2", kSingle);
  same(before, "div.f64 %fd0, %fd1, %fd2", "div.rn.f64 %fd0, %fd1, %fd2", kDouble);
  same(before, "sqrt.f64 %fd0, %fd1", "sqrt.rn.f64 %fd0, %fd1", kDouble);
  same(before, "rsqrt.f64 %fd0, %fd1", "rsqrt.approx.f64 %fd0, %fd1", kDouble);
  same(before, "mad.f64 %fd0, %fd1, %fd2, %fd1", "fma.rn.f64 %fd0, %fd1, %fd2, %fd1", kDouble);
}

// --- what stands around instructions

using Model = std::function<U(U, U, U)>;

void gives(const std::string& text, const Model& model) {
  auto table = rows();
  const std::vector<U> have = run_text(2, text, table, text);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto [a, b, c, unused] = table[i];
    ASSERT_EQ(have[i], model(a, b, c)) << text << "\nrow " << i;
  }
}

// Functions before the ABI: parameters and results are registers of any type, registers and local
// variables stand outside of all functions, and declarations have no semicolon.
TEST(OldTexts, RegistersOutsideOfFunctionsAreShared) {
  const std::string functions = R"(
  .reg .u32 %ra<17>; .reg .pred %pa; .reg .v2 .u32 %pair;
  .local .align 4 .u32 %L1; .local .u32 spilled[4];
  .visible .func (.reg .pred %equal) same (.reg .u32 %x, .reg .pred %flip, .reg .u8 %bits)
  .func keep (.param .u32 __cudaparmf1_keep)
  .file 1 "<command-line>"
  .visible .func (.reg .pred %equal) same (.reg .u32 %x, .reg .pred %flip, .reg .u8 %bits)
  {
    .reg .u32 %mask;
    cvt.u32.u8 %mask, %bits;
    and.b32 %mask, %mask, %x;
    setp.eq.xor.u32 %equal, %mask, 0, %flip;
    ret;
  }
  .func keep (.param .u32 __cudaparmf1_keep)
  {
    ld.param.u32 %ra3, [__cudaparmf1_keep];
    add.u32 %ra3, %ra3, %pair.y;
    ret;
  }
)";
  const std::string body = R"(
    .reg .u8 %b; .param .u32 given;
    mov.v2.u32 %pair, {%r4, %r5};
    setp.lt.u32 %pa, %r4, %r5;
    cvt.u8.u32 %b, %r5;
    call.uni (%pa), same, (%r4, %pa, %b);
    st.param.u32 [given], %r4;
    call keep, (given);
    mov.u32 %r6, %L1;
    st.local.u32 [%r6], %ra3;
    st.local.u32 [spilled+4], 5;
    ld.local.u32 %r7, [%L1];
    ld.local.u32 %r8, [spilled+4];
    add.u32 %r7, %r7, %r8;
    @%pa xor.b32 %r7, %r7, -1;
    st.global.u32 [%rd7+0], %r7;
)";
  gives(text_of({"2.1", "sm_20"}, functions, body), [](U a, U b, U) {
    const bool holds = ((a & b & 0xff) == 0) != (a < b);
    const U sum = (a + b + 5) & 0xffffffff;
    return holds ? ~sum & 0xffffffff : sum;
  });
}

TEST(OldTexts, VectorsOfRegisters) {
  const std::string functions = R"(
  .func (.reg .v2 .b64 %back) swapped (.reg .v4 .b32 %v, .reg .v2 .f32 %f)
  {
    .reg .v4 .b32 %w<3>;
    mov.v4.b32 %w1, %v;
    mov.v4.b32 {%w1.x, %w1.y, %w1.z, %w1.w}, {%w1.w, %w1.z, %w1.y, %w1.x};
    add.u32 %w2.r, %w1.x, %w1.g;
    mov.b64 %back.x, {%w2.x, %w1.z};
    mov.b64 %back.y, %f;
    ret;
  }
)";
  const std::string body = R"(
    .reg .v4 .b32 q; .reg .v2 .f32 f; .reg .v2 .u64 both; .reg .v2 .u32 low;
    .shared .align 16 .b8 s[512];
    ld.global.v2.b32 {q.x, q.y}, [%rd4+0];
    mov.v2.b32 {q.z, q.w}, {%r5, 7};
    ld.global.v2.f32 f, [%rd4+16];
    call (both), swapped, (q, f);
    shl.b32 %r6, %r2, 4;
    mov.u32 %r7, s;
    add.u32 %r6, %r6, %r7;
    st.shared.v2.u64 [%r6], both;
    ld.shared.v4.b32 q, [%r6];
    mov.b64 low, both.y;
    xor.b32 %r8, low.x, low.y;
    mov.v4.u16 {%rh1, _, %rh2, %rh3}, %tid;
    mov.v4.u32 q, {q.x, %r8, q.y, %nctaid.z};
    add.u32 q.x, q.x, q.b;
    sub.u32 q.w, q.w, 1;
    st.global.v2.u32 [%rd7+0], {q.x, q.w};
    mov.b64 %rd8, {q.x, q.y};
    st.global.u64 [%rd7+0], %rd8;
)";
  // q is (a, 0, b, 7), because each operand takes 8 bytes.
  gives(text_of({"9.0", "sm_90"}, functions, body),
        [](U, U b, U c) { return ((7 + b) & 0xffffffff) | c << 32; });
}

}  // namespace
}  // namespace warpmark::cpu
