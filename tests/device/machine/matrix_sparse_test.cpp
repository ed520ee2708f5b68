// mma.sp in every shape, type and selector, and the kinds of narrow numbers with and without factors
// of blocks, against products of whole matrices in binary64, which are exact here. Fragments and
// metadata are filled by the figures of the PTX ISA.
#include <bit>
#include <cmath>
#include <random>
#include <sstream>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using U32 = std::uint32_t;
using Words = std::vector<U32>;

struct Sample {
  U32 pattern;
  double value;
};

// sign, exponent, fraction: of 8 bits and fewer.
double small(U32 pattern, int exponent_bits, int fraction_bits, int bias) {
  const U32 fraction = pattern & ((1u << fraction_bits) - 1);
  const auto exponent = static_cast<int>(pattern >> fraction_bits & ((1u << exponent_bits) - 1));
  const double part = fraction / std::ldexp(1.0, fraction_bits);
  const double value =
      exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias);
  return (pattern >> (exponent_bits + fraction_bits) & 1) != 0 ? -value : value;
}

Sample sample(const std::string& type, U32 random) {
  const int number = static_cast<int>(random % 15) - 7;
  const auto single = std::bit_cast<U32>(static_cast<float>(number) / 4);
  if (type == "bf16") return {single >> 16, number / 4.0};
  if (type == "tf32") return {single, number / 4.0};
  if (type == "f16") {
    if (number == 0) return {0, 0};
    return {
        (single >> 16 & 0x8000) | (((single >> 23 & 0xff) - 112) << 10) | (single >> 13 & 0x3ff),
        number / 4.0};
  }
  if (type == "s8") return {random & 0xff, static_cast<double>(static_cast<std::int8_t>(random))};
  if (type == "u8") return {random & 0xff, static_cast<double>(random & 0xff)};
  if (type == "s4")
    return {random & 15, static_cast<double>(static_cast<std::int8_t>(random << 4) >> 4)};
  if (type == "u4") return {random & 15, static_cast<double>(random & 15)};
  if (type == "e4m3") {
    const U32 bits = (random & 0x7f) == 0x7f ? 0x38 : random & 0xff;
    return {bits, small(bits, 4, 3, 7)};
  }
  if (type == "e5m2") {  // of a few exponents, so that sums are exact
    const U32 bits = 0x30 + (random & 0x1f) + (random & 0x80);
    return {bits, small(bits, 5, 2, 15)};
  }
  if (type == "e2m3") return {random & 0x3f, small(random & 0x3f, 2, 3, 1)};
  if (type == "e3m2") return {random & 0x3f, small(random & 0x3f, 3, 2, 3)};
  return {random & 15, small(random & 15, 2, 1, 1)};  // e2m1
}

std::string list(int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
  return text + "}";
}

struct Case {
  std::string a, b;
  int bits, k;        ///< of an element in a register
  int selectors = 0;  ///< 0: not sparse
  std::string kind{};
  int scales = 0;
  bool e4m3 = false;
};

class SparseMatrices : public DeviceTest {
 protected:
  // A kernel of one warp: registers in, from %r32 on, registers out, each as words by lane.
  CUresult run(const std::string& instruction, int outputs, const Words& inputs, Words* results) {
    std::ostringstream text;
    text << ".version 9.0\n.target sm_121a\n.address_size 64\n"
            ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .b32 %t;\n"
            "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %t, %tid.x;\n"
            "mul.wide.u32 %rd3, %t, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n";
    for (std::size_t i = 0; i < inputs.size() / 32; ++i)
      text << "ld.global.b32 %r" << i + 32 << ", [%rd1+" << i * 128 << "];\n";
    text << instruction << "\n";
    for (int i = 0; i < outputs; ++i)
      text << "st.global.b32 [%rd2+" << i * 128 << "], %r" << i << ";\n";
    text << "ret;\n}\n";
    CUfunction kernel = kernel_of(text.str(), "k");
    if (kernel == nullptr) return CUDA_ERROR_INVALID_PTX;
    Array<U32> in(inputs), out(static_cast<std::size_t>(outputs) * 32);
    EXPECT_CU(launch(kernel, {}, {32}, 0, in.address, out.address));
    const CUresult result = api().synchronize();
    if (result == CUDA_SUCCESS) {
      EXPECT_CU(out.fetch());
    }
    *results = out.host;
    return result;
  }

  void check(const Case& one, const std::string& sum, int selector, bool ordered);
  std::mt19937 random_{20260701};
};

// The four bits of a group of a row: their lane and first bit.
struct Place {
  int lane, shift;
};
Place place_of(const Case& one, int row, int group, int selector) {
  const int groups = one.k / (one.bits == 32 ? 2 : one.bits == 4 ? 8 : 4);
  if (one.bits >= 16)  // each thread has rows r and r + 8, of four groups
    return {row % 8 * 4 + selector * (groups / 4) + group / 4, row / 8 * 16 + group % 4 * 4};
  // A pair of threads has rows r and r + 8, of eight groups.
  return {row % 8 * 4 + row / 8 + 2 * (selector + group / 8), group % 8 * 4};
}

void SparseMatrices::check(const Case& one, const std::string& sum, int selector, bool ordered) {
  const bool sparse = one.selectors > 0;
  const int k = one.k, kept = sparse ? k / 2 : k, each = 32 / one.bits;
  const int a_regs = 16 * kept / 32 / each, b_regs = k * 8 / 32 / each;
  const bool halves = sum == "f16", integers = sum == "s32";
  const int c_regs = halves ? 2 : 4;
  const int group = one.bits == 32 ? 2 : one.bits == 4 ? 8 : 4;
  std::vector<double> a(static_cast<std::size_t>(16 * k)), b(static_cast<std::size_t>(k * 8)),
      want(16 * 8), magnitude(16 * 8);
  Words in(static_cast<std::size_t>(a_regs + b_regs + c_regs + 3) * 32);
  const auto word = [&](int reg, int lane) -> U32& {
    return in[static_cast<std::size_t>(reg * 32 + lane)];
  };
  const int meta = a_regs + b_regs + c_regs;
  // Where each element that is kept lies in the matrix.
  std::vector<int> column(static_cast<std::size_t>(16 * kept));
  for (int lane = 0; lane < 32 && sparse; ++lane) word(meta, lane) = 0;
  for (int row = 0; row < 16; ++row) {
    for (int g = 0; g < k / group; ++g) {
      if (!sparse) break;
      U32 low = random_() % 4, high = (low + 1 + random_() % 3) % 4;
      if (ordered && low > high) std::swap(low, high);
      U32 bits = low | high << 2;
      if (group == 2) bits = low % 2 == 0 ? 0x4 : 0xe;
      const Place place = place_of(one, row, g, selector);
      word(meta, place.lane) |= bits << place.shift;
      for (int i = 0; i < group / 2; ++i) {
        const int to = group == 2   ? static_cast<int>(low % 2)
                       : group == 4 ? static_cast<int>(i == 0 ? low : high)
                                    : static_cast<int>(i < 2 ? low : high) * 2 + i % 2;
        column[static_cast<std::size_t>(row * kept + g * (group / 2) + i)] = g * group + to;
      }
    }
  }
  const int move = one.bits == 8 ? 2 : 0;  // of four bits in a byte
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < a_regs * each; ++i) {
      const int reg = i / each, row = lane / 4 + 8 * (reg % 2),
                at = lane % 4 * each + i % each + reg / 2 * 4 * each;
      const Sample s = sample(one.a, random_());
      word(reg, lane) |= s.pattern << (i % each * one.bits + (one.a == "e2m1" ? move : 0));
      const int to = sparse ? column[static_cast<std::size_t>(row * kept + at)] : at;
      a[static_cast<std::size_t>(row * k + to)] = s.value;
    }
    for (int i = 0; i < b_regs * each; ++i) {
      const int reg = i / each, row = lane % 4 * each + i % each + reg * 4 * each;
      const Sample s = sample(one.b, random_());
      word(a_regs + reg, lane) |= s.pattern << (i % each * one.bits + (one.b == "e2m1" ? move : 0));
      b[static_cast<std::size_t>(row * 8 + lane / 4)] = s.value;
    }
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, at = lane % 4 * 2 + i % 2, c = (row - at) % 3;
      want[static_cast<std::size_t>(row * 8 + at)] = c;
      magnitude[static_cast<std::size_t>(row * 8 + at)] = std::abs(c);
      U32& target = word(a_regs + b_regs + (halves ? i / 2 : i), lane);
      const U32 half = c == 0 ? 0 : (c < 0 ? 0x8000u : 0u) | (c * c == 1 ? 0x3c00u : 0x4000u);
      if (halves)
        target |= half << (i % 2 * 16);
      else
        target = integers ? static_cast<U32>(c) : std::bit_cast<U32>(static_cast<float>(c));
    }
  }
  // Factors: byte and lane are chosen; what is beside them would spoil the sums.
  const int byte_at =
      one.scales == 0 ? 0 : static_cast<int>(random_() % 4) / one.scales * one.scales;
  const int lane_a = static_cast<int>(random_() % 2), lane_b = static_cast<int>(random_() % 4);
  for (int lane = 0; lane < 32 && one.scales > 0; ++lane)
    word(meta + 1, lane) = word(meta + 2, lane) = 0xffffffff;
  const auto scale = [&](int reg, int lane, int block) {
    const U32 bits = one.e4m3 ? 0x30 + random_() % 16 : 120 + random_() % 15;
    const int shift = 8 * (byte_at + block);
    U32& target = word(reg, lane);
    target = (target & ~(0xffu << shift)) | bits << shift;
    return one.e4m3 ? small(bits, 4, 3, 7) : std::ldexp(1.0, static_cast<int>(bits) - 127);
  };
  for (int block = 0; block < one.scales; ++block) {
    const int from = block * k / one.scales, to = (block + 1) * k / one.scales;
    for (int row = 0; row < 16; ++row) {
      const double factor = scale(meta + 1, row % 8 * 4 + row / 8 + 2 * lane_a, block);
      for (int i = from; i < to; ++i) a[static_cast<std::size_t>(row * k + i)] *= factor;
    }
    for (int at = 0; at < 8; ++at) {
      const double factor = scale(meta + 2, at * 4 + lane_b, block);
      for (int i = from; i < to; ++i) b[static_cast<std::size_t>(i * 8 + at)] *= factor;
    }
  }
  for (int row = 0; row < 16; ++row)
    for (int at = 0; at < 8; ++at)
      for (int i = 0; i < k; ++i) {
        const double product =
            a[static_cast<std::size_t>(row * k + i)] * b[static_cast<std::size_t>(i * 8 + at)];
        want[static_cast<std::size_t>(row * 8 + at)] += product;
        magnitude[static_cast<std::size_t>(row * 8 + at)] += std::fabs(product);
      }
  const std::string name =
      std::string("mma") +
      (!sparse   ? ""
       : ordered ? ".sp::ordered_metadata"
                 : ".sp") +
      ".sync.aligned.m16n8k" + std::to_string(k) + ".row.col" +
      (one.kind.empty() ? "" : ".kind::" + one.kind) +
      (one.scales == 0 ? "" : ".block_scale.scale_vec::" + std::to_string(one.scales) + "X") + "." +
      sum + "." + one.a + "." + one.b + "." + sum +
      (one.scales == 0 ? ""
       : one.e4m3      ? ".ue4m3"
                       : ".ue8m0");
  std::string text = name + " " + list(0, c_regs) + ", " + list(32, a_regs) + ", " +
                     list(32 + a_regs, b_regs) + ", " + list(32 + a_regs + b_regs, c_regs);
  if (sparse) text += ", %r" + std::to_string(32 + meta) + ", " + std::to_string(selector);
  if (one.scales > 0) {
    const std::string byte_text = std::to_string(byte_at);
    text += ", %r" + std::to_string(33 + meta) + ", {" + byte_text + ", " + std::to_string(lane_a) +
            "}, %r" + std::to_string(34 + meta) + ", {" + byte_text + ", " +
            std::to_string(lane_b) + "}";
  }
  Words got;
  ASSERT_EQ(run(text + ";", c_regs, in, &got), CUDA_SUCCESS) << text;
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>((lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2);
      const double expected = want[at];
      const U32 bits = got[static_cast<std::size_t>((halves ? i / 2 : i) * 32 + lane)];
      double value = integers ? static_cast<double>(static_cast<std::int32_t>(bits))
                              : static_cast<double>(std::bit_cast<float>(bits));
      if (halves) value = small(bits >> (i % 2 * 16) & 0xffff, 5, 10, 15);
      // Which number is where matters here; compare_matrices.py compares the bits of sums. Some
      // sums are rounded to binary16 in between.
      const double most = integers ? 0 : magnitude[at] * (halves ? 0x1p-9 : 0x1p-20);
      if (!(std::fabs(value - expected) <= most) && wrong++ < 4)
        ADD_FAILURE() << text << "\nlane " << lane << " element " << i << ": " << value << ", want "
                      << expected;
    }
  }
}

TEST_F(SparseMatrices, EveryShapeOfMmaSp) {
  const Case cases[] = {
      {"f16", "f16", 16, 16, 4},   {"f16", "f16", 16, 32, 2},  {"bf16", "bf16", 16, 16, 4},
      {"bf16", "bf16", 16, 32, 2}, {"tf32", "tf32", 32, 8, 4}, {"tf32", "tf32", 32, 16, 2},
      {"s8", "u8", 8, 32, 2},      {"u8", "s8", 8, 64, 1},     {"s4", "s4", 4, 64, 2},
      {"u4", "s4", 4, 128, 1},     {"e4m3", "e5m2", 8, 64, 1}};
  for (const Case& one : cases) {
    for (int selector = 0; selector < one.selectors; ++selector) {
      for (const bool ordered : {false, true}) {
        check(one, one.bits == 4 || one.a.ends_with("8") ? "s32" : "f32", selector, ordered);
        if (one.a == "f16") check(one, "f16", selector, ordered);
      }
    }
  }
}

TEST_F(SparseMatrices, KindsOfNarrowNumbers) {
  const std::string types[] = {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"};
  for (const std::string& a : types) {
    for (const std::string& b : types) {
      check({a, b, 8, 32, 0, "f8f6f4"}, "f32", 0, true);
      check({a, b, 8, 64, 1, "f8f6f4"}, "f32", 0, true);
      check({a, b, 8, 32, 0, "mxf8f6f4", 1}, "f32", 0, true);
      check({a, b, 8, 64, 1, "mxf8f6f4", 1}, "f32", 0, true);
    }
  }
  check({"e2m1", "e3m2", 8, 32, 0, "f8f6f4"}, "f16", 0, true);
  for (const int k : {64, 128}) {
    const int selectors = k == 128 ? 1 : 0;
    check({"e2m1", "e2m1", 4, k, selectors, "mxf4", 2}, "f32", 0, true);
    check({"e2m1", "e2m1", 4, k, selectors, "mxf4nvf4", 2}, "f32", 0, true);
    check({"e2m1", "e2m1", 4, k, selectors, "mxf4nvf4", 4, true}, "f32", 0, true);
  }
}

// PTX ISA: with metadata of other forms the behaviour is undefined.
TEST_F(SparseMatrices, RefusesMetadataOfOtherForms) {
  const auto status = [&](const std::string& words, U32 metadata) {
    Words in(9 * 32, 0), got;
    for (std::size_t lane = 0; lane < 32; ++lane) in[8 * 32 + lane] = metadata;
    const bool wide = words.find("tf32") != words.npos;
    const CUresult result =
        run(words +
                " {%r0, %r1, %r2, %r3}, {%r32, %r33}, {%r34, %r35}, {%r36, %r37, %r38, %r39}, "
                "%r40, " +
                (wide ? "3" : "1") + ";",
            4, in, &got);
    if (result != CUDA_SUCCESS) {  // its context is of no use any more
      TearDown();
      SetUp();
    }
    return result;
  };
  const std::string sorted =
      "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  EXPECT_EQ(status(sorted, 0x44444444), CUDA_SUCCESS);
  EXPECT_EQ(status(sorted, 0x44444441), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(status(sorted, 0x44404444), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(status("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0x44444441),
            CUDA_SUCCESS);
  const std::string wide = "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
  EXPECT_EQ(status(wide, 0xe4e4e4e4), CUDA_SUCCESS);
  EXPECT_EQ(status(wide, 0xe4e4e4e6), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

}  // namespace
}  // namespace warpmark::test
