// Operands that the assembler takes in more places than compilers write them.
#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

class Operands : public DeviceTest {
 protected:
  /// The 32-bit words that a thread alone stores at %rd1, where -10, 1.5f, 0x3e00 and 2.5
  /// (binary64) stand before, at 0, 4, 8 and 16.
  std::vector<std::uint32_t> words(const std::string& text, unsigned threads = 1) {
    Array<std::uint32_t> memory({0xfffffff6, 0x3fc00000, 0x3e00, 0, 0, 0x40040000, 0, 0});
    CUfunction k = body(
        "ld.global.u32 %r1, [%rd1]; ld.global.f32 %f1, [%rd1+4]; ld.global.u16 %rs1, [%rd1+8];\n"
        "ld.global.f64 %fd1, [%rd1+16]; mov.u64 %rd3, -1; mov.u32 %r3, -1;\n" +
        text);
    if (k == nullptr) return {};
    EXPECT_CU(launch(k, {1}, {threads}, 0, memory.address));
    EXPECT_CU(memory.fetch());
    return memory.host;
  }
  std::uint32_t narrow(const std::string& statement) {
    return words(statement + "; st.global.u32 [%rd1], %r3;").at(0);
  }
  std::uint64_t wide(const std::string& statement) {
    const auto all = words(statement + "; st.global.u64 [%rd1], %rd3;");
    return all.at(0) | std::uint64_t{all.at(1)} << 32;
  }
};

// The results of an H200: the sum is the operand.
TEST_F(Operands, RegistersHaveOffsets) {
  EXPECT_EQ(narrow("add.s32 %r3, %r1+4, 1"), 0xfffffffb);
  EXPECT_EQ(narrow("add.s16 %rs2, %rs1+4, %rs1; cvt.u32.u16 %r3, %rs2"), 0x7c04U);
  EXPECT_EQ(narrow("abs.s32 %r3, %r1+4"), 6U);
  EXPECT_EQ(narrow("selp.b32 %r3, %r1+4, %r1, 1"), 0xfffffffa);
  EXPECT_EQ(narrow("mad.lo.s32 %r3, %r1, %r1+8, %r1+4"), 14U);
  EXPECT_EQ(narrow("popc.b32 %r3, %r1+4"), 30U);
  EXPECT_EQ(narrow("mov.u32 %r3, %r1+4"), 0xfffffffa);
}

// The same: zeros above.
TEST_F(Operands, FloatingPointResultsInWiderRegisters) {
  EXPECT_EQ(wide("cvt.rn.f32.f64 %rd3, %fd1"), 0x40200000U);
  EXPECT_EQ(wide("cvt.f32.f16 %rd3, %rs1"), 0x3fc00000U);
  EXPECT_EQ(wide("cvt.rn.f16.f32 %rd3, %f1"), 0x3e00U);
  EXPECT_EQ(wide("cvt.rn.f16.s32 %rd3, %r1"), 0xc900U);
  EXPECT_EQ(wide("cvt.rn.f16x2.f32 %rd3, %f1, %f1"), 0x3e003e00U);
  EXPECT_EQ(narrow("cvt.rn.f16.f32 %r3, %f1"), 0x3e00U);
}

TEST_F(Operands, ThirtyTwoBytesThroughAGenericAddress) {
  Array<std::uint32_t> memory({1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0});
  CUfunction k = kernel_of(
      ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [p];\n"
      "ld.v8.u32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1]; ld.v4.u64 {%rd1,%rd2,%rd3,%rd4}, "
      "[%rd1]; mov.b64 {%r1,_}, %rd4; ld.param.u64 %rd1, [p];\n"
      "st.v8.u32 [%rd1+32], {%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1}; ret; }",
      "k");
  ASSERT_CU(launch(k, {1}, {1}, 0, memory.address));
  ASSERT_CU(memory.fetch());
  EXPECT_EQ(memory.host,
            (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 7}));
}

TEST_F(Operands, OneRegisterInBraces) {
  EXPECT_EQ(narrow("mov.b32 {%r3}, %f1"), 0x3fc00000U);
  EXPECT_EQ(wide("mov.b64 %rd3, {%fd1}"), 0x4004000000000000U);
  EXPECT_EQ(narrow("ld.global.u32 {%r3}, [%rd1+8]"), 0x3e00U);
  EXPECT_EQ(words("st.global.f32 [%rd1], {%f1};").at(0), 0x3fc00000U);
}

TEST_F(Operands, SpecialRegistersInVectorsAndConversions) {
  const std::vector<std::uint32_t> stored = words(
      "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 2; @%p1 bra L;\n"
      "mov.b64 %rd3, {%tid.x, %ntid.x}; st.global.u64 [%rd1], %rd3;\n"
      "st.global.v2.u32 [%rd1+8], {%r1, %laneid}; cvt.s64.u32 %rd4, %ntid.x;\n"
      "st.global.u64 [%rd1+16], %rd4; L:",
      40);
  EXPECT_EQ(stored, (std::vector<std::uint32_t>{2, 40, 0xfffffff6, 2, 40, 0, 0, 0}));
}

TEST_F(Operands, ClocksAreRead) {
  const auto stored = words(
      "mov.u64 %rd4, %clock64; mov.b64 {%r4, %r5}, %clock64; mov.b64 %rd5, {%r4, %r5};\n"
      "cvt.u64.u64 %rd6, %clock64; cvt.u32.u32 %r6, %clock; cvt.u64.u32 %rd7, %r6;\n"
      "cvt.u64.u32 %rd8, %clock_hi; shl.b64 %rd8, %rd8, 32; or.b64 %rd7, %rd7, %rd8;\n"
      "setp.le.u64 %p1, %rd4, %rd5; setp.le.and.u64 %p2, %rd5, %rd6, %p1;\n"
      "setp.le.and.u64 %p3, %rd6, %rd7, %p2; selp.u32 %r7, 1, 0, %p3; st.global.u32 [%rd1], %r7;");
  EXPECT_EQ(stored.at(0), 1U);
}

}  // namespace
}  // namespace warpmark::test
