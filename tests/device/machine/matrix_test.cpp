// Matrix instructions: every shape and type against products of whole matrices, whose fragments are
// filled by the figures of the PTX ISA, written out here register by register.
#include <cmath>
#include <random>
#include <sstream>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using U32 = std::uint32_t;

// Element of a register by lane: row and column, as in the ISA's formulas.
struct At {
  int row, column;
};

/// One mma shape: what its formulas say for element i of a lane.
struct Shape {
  const char* name;
  int m, n, k;
  int bits;  ///< of an input element
  At (*a)(int lane, int i);
  At (*b)(int lane, int i);
};

At sum_at(int lane, int i) {
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

const Shape kShapes[] = {
    {"m16n8k8", 16, 8, 8, 16,
     [](int lane, int i) {
       return At{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 2 + i, lane / 4};
     }},
    {"m16n8k16", 16, 8, 16, 16,
     [](int lane, int i) {
       return At{lane / 4 + (i < 2 || (i >= 4 && i < 6) ? 0 : 8),
                 lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane / 4};
     }},
    {"m16n8k4", 16, 8, 4, 32,
     [](int lane, int i) {
       return At{lane / 4 + 8 * i, lane % 4};
     },
     [](int lane, int) {
       return At{lane % 4, lane / 4};
     }},
    {"m16n8k8", 16, 8, 8, 32,
     [](int lane, int i) {
       return At{lane / 4 + (i == 0 || i == 2 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)};
     },
     [](int lane, int i) {
       return At{lane % 4 + 4 * i, lane / 4};
     }},
    {"m8n8k16", 8, 8, 16, 8,
     [](int lane, int i) {
       return At{lane / 4, lane % 4 * 4 + i};
     },
     [](int lane, int i) {
       return At{lane % 4 * 4 + i, lane / 4};
     }},
    {"m16n8k16", 16, 8, 16, 8,
     [](int lane, int i) {
       return At{lane / 4 + (i < 4 ? 0 : 8), lane % 4 * 4 + (i & 3)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 4 + i, lane / 4};
     }},
    {"m16n8k32", 16, 8, 32, 8,
     [](int lane, int i) {
       return At{lane / 4 + (i < 4 || (i >= 8 && i < 12) ? 0 : 8),
                 lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane / 4};
     }},
    {"m16n8k64", 16, 8, 64, 4,
     [](int lane, int i) {
       return At{lane / 4 + (i < 8 || (i >= 16 && i < 24) ? 0 : 8),
                 lane % 4 * 8 + (i & 7) + (i < 16 ? 0 : 32)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 8 + (i & 7) + (i < 8 ? 0 : 32), lane / 4};
     }},
    {"m8n8k128", 8, 8, 128, 1,
     [](int lane, int i) {
       return At{lane / 4, lane % 4 * 32 + i};
     },
     [](int lane, int i) {
       return At{lane % 4 * 32 + i, lane / 4};
     }},
    {"m16n8k256", 16, 8, 256, 1,
     [](int lane, int i) {
       return At{lane / 4 + (i < 32 || (i >= 64 && i < 96) ? 0 : 8),
                 lane % 4 * 32 + i % 32 + (i < 64 ? 0 : 128)};
     },
     [](int lane, int i) {
       return At{lane % 4 * 32 + i % 32 + (i < 32 ? 0 : 128), lane / 4};
     }},
};

// A small number's pattern in a type, exact in all of them, and its value.
struct Sample {
  U32 pattern;
  double value;
};
U32 half_pattern(float x, bool brain) {
  if (brain) return std::bit_cast<U32>(x) >> 16;
  if (x == 0) return 0;
  const int exponent = std::ilogb(x);
  const auto fraction = static_cast<U32>((std::fabs(std::ldexp(x, -exponent)) - 1) * 1024);
  return (x < 0 ? 0x8000u : 0) | static_cast<U32>(exponent + 15) << 10 | fraction;
}
Sample sample(const std::string& type, int k) {
  const int small = k % 7 - 3;
  if (type == "f16" || type == "bf16")
    return {half_pattern(static_cast<float>(small) / 4, type == "bf16"), small / 4.0};
  if (type == "tf32")
    return {std::bit_cast<U32>(static_cast<float>(small) / 4) | 0x123, small / 4.0};
  if (type == "s8")
    return {static_cast<U32>((k * 37) & 0xff),
            static_cast<double>(static_cast<std::int8_t>(k * 37))};
  if (type == "u8") return {static_cast<U32>((k * 37) & 0xff), static_cast<double>(k * 37 & 0xff)};
  if (type == "s4")
    return {static_cast<U32>(k & 15), static_cast<double>(static_cast<std::int8_t>(k << 4) >> 4)};
  if (type == "u4") return {static_cast<U32>(k & 15), static_cast<double>(k & 15)};
  if (type == "b1") return {static_cast<U32>(k & 1), static_cast<double>(k & 1)};
  if (type == "e4m3") {  // 1 to 1.875 with a sign
    const U32 bits = 0x38 | static_cast<U32>(k & 7) | ((k & 8) != 0 ? 0x80 : 0);
    return {bits, (1 + (k & 7) / 8.0) * ((k & 8) != 0 ? -1 : 1)};
  }
  const U32 bits = 0x3c | static_cast<U32>(k & 3) | ((k & 4) != 0 ? 0x80 : 0);  // e5m2
  return {bits, (1 + (k & 3) / 4.0) * ((k & 4) != 0 ? -1 : 1)};
}

class Matrices : public DeviceTest {
 protected:
  // Runs a kernel of one warp: registers in, registers out, each as words by lane.
  std::vector<U32> run(const std::string& target, const std::string& types,
                       const std::string& instruction, int outputs,
                       const std::vector<U32>& inputs) {
    const auto count = static_cast<int>(inputs.size() / 32);
    std::ostringstream text;
    text << ".version 9.0\n.target " << target
         << "\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .b32 %t;\n"
            "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %t, %tid.x;\n"
            "mul.wide.u32 %rd3, %t, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n";
    for (int i = 0; i < count; ++i)
      text << "ld.global.b32 %r" << i + 32 << ", [%rd1+" << i * 128 << "];\n";
    text << instruction << "\n";
    for (int i = 0; i < outputs; ++i)
      text << "st.global.b32 [%rd2+" << i * 128 << "], %r" << i << ";\n";
    text << "ret;\n}\n";
    CUfunction kernel = kernel_of(text.str(), "k");
    if (kernel == nullptr) return {};
    Array<U32> in(inputs), out(static_cast<std::size_t>(outputs) * 32);
    EXPECT_CU(launch(kernel, {}, {32}, 0, in.address, out.address)) << types;
    EXPECT_CU(api().synchronize());
    EXPECT_CU(out.fetch());
    return out.host;
  }
  static std::string list(int first, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
    return text + "}";
  }
};

TEST_F(Matrices, EveryShapeOfMma) {
  struct Row {
    std::size_t shape;
    const char *a, *b, *sum, *suffix;
  };
  const Row rows[] = {
      {0, "f16", "f16", "f32", ""},   {0, "bf16", "bf16", "f32", ""},
      {0, "f16", "f16", "f16", ""},   {1, "f16", "f16", "f32", ""},
      {1, "bf16", "bf16", "f32", ""}, {1, "f16", "f16", "f16", ""},
      {2, "tf32", "tf32", "f32", ""}, {3, "tf32", "tf32", "f32", ""},
      {4, "s8", "u8", "s32", ""},     {5, "u8", "s8", "s32", ""},
      {6, "s8", "s8", "s32", ""},     {6, "u8", "u8", "s32", ".satfinite"},
      {6, "e4m3", "e5m2", "f32", ""}, {7, "s4", "u4", "s32", ""},
      {8, "b1", "b1", "s32", ".xor"}, {9, "b1", "b1", "s32", ".and"},
  };
  for (const Row& row : rows) {
    const Shape& shape = kShapes[row.shape];
    const int packed = 32 / shape.bits;
    const int a_regs = shape.m * shape.k / 32 / packed, b_regs = shape.k * shape.n / 32 / packed;
    const bool halves = std::string(row.sum) == "f16";
    const int sums = shape.m * shape.n / 32, c_regs = halves ? sums / 2 : sums;
    std::vector<U32> inputs(static_cast<std::size_t>(a_regs + b_regs + c_regs) * 32);
    std::vector<double> a(static_cast<std::size_t>(shape.m * shape.k)),
        b(static_cast<std::size_t>(shape.k * shape.n)),
        want(static_cast<std::size_t>(shape.m * shape.n));
    const auto word = [&](int reg, int lane) -> U32& {
      return inputs[static_cast<std::size_t>(reg * 32 + lane)];
    };
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < a_regs * packed; ++i) {
        const At at = shape.a(lane, i);
        const Sample s = sample(row.a, at.row * 5 + at.column * 3 + at.row * at.column);
        a[static_cast<std::size_t>(at.row * shape.k + at.column)] = s.value;
        word(i / packed, lane) |= s.pattern << (i % packed * shape.bits % 32);
      }
      for (int i = 0; i < b_regs * packed; ++i) {
        const At at = shape.b(lane, i);
        const Sample s = sample(row.b, at.row * 11 + at.column + at.row * at.column / 3);
        b[static_cast<std::size_t>(at.row * shape.n + at.column)] = s.value;
        word(a_regs + i / packed, lane) |= s.pattern << (i % packed * shape.bits % 32);
      }
      for (int i = 0; i < sums; ++i) {
        const At at = sum_at(lane, i);
        const int c = (at.row - at.column) % 5;
        want[static_cast<std::size_t>(at.row * shape.n + at.column)] = c;
        U32& target = word(a_regs + b_regs + (halves ? i / 2 : i), lane);
        if (halves)
          target |= half_pattern(static_cast<float>(c), false) << (i % 2 * 16);
        else if (std::string(row.sum) == "f32")
          target = std::bit_cast<U32>(static_cast<float>(c));
        else
          target = static_cast<U32>(c);
      }
    }
    const bool conjunction = std::string(row.suffix) == ".and";
    const bool bits = std::string(row.a) == "b1";
    for (int r = 0; r < shape.m; ++r) {
      for (int c = 0; c < shape.n; ++c) {
        for (int k = 0; k < shape.k; ++k) {
          const double x = a[static_cast<std::size_t>(r * shape.k + k)],
                       y = b[static_cast<std::size_t>(k * shape.n + c)];
          want[static_cast<std::size_t>(r * shape.n + c)] += bits && !conjunction ? x != y : x * y;
        }
      }
    }
    const std::string name = std::string("mma.sync.aligned.") + shape.name + ".row.col" +
                             (std::string(row.suffix) == ".satfinite" ? ".satfinite" : "") + "." +
                             row.sum + "." + row.a + "." + row.b + "." + row.sum +
                             (bits ? std::string(row.suffix) + ".popc" : "");
    const std::vector<U32> got =
        run("sm_90", name,
            name + " " + list(0, c_regs) + ", " + list(32, a_regs) + ", " +
                list(32 + a_regs, b_regs) + ", " + list(32 + a_regs + b_regs, c_regs) + ";",
            c_regs, inputs);
    ASSERT_FALSE(got.empty()) << name;
    int wrong = 0;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < sums; ++i) {
        const At at = sum_at(lane, i);
        const double expected = want[static_cast<std::size_t>(at.row * shape.n + at.column)];
        const U32 bits_got = got[static_cast<std::size_t>((halves ? i / 2 : i) * 32 + lane)];
        const U32 wanted = halves ? half_pattern(static_cast<float>(expected), false)
                           : std::string(row.sum) == "f32"
                               ? std::bit_cast<U32>(static_cast<float>(expected))
                               : static_cast<U32>(static_cast<std::int64_t>(expected));
        const U32 value = halves ? bits_got >> (i % 2 * 16) & 0xffff : bits_got;
        if (value != wanted && wrong++ < 4)
          ADD_FAILURE() << name << " lane " << lane << " element " << i << std::hex << ": " << value
                        << ", want " << wanted;
      }
    }
  }
}

// d = a · b + c on matrices in memory, in each layout, through shared memory and generic addresses.
TEST_F(Matrices, WmmaOnMemory) {
  struct Row {
    int m, n, k;
    const char *input, *sum;
    int a_regs, b_regs, sums;
  };
  for (const Row& row :
       {Row{16, 16, 16, "f16", "f32", 8, 8, 8}, Row{8, 32, 16, "f16", "f32", 8, 8, 8},
        Row{32, 8, 16, "f16", "f32", 8, 8, 8}, Row{16, 16, 16, "bf16", "f32", 4, 4, 8},
        Row{8, 32, 16, "bf16", "f32", 2, 8, 8}, Row{16, 16, 8, "tf32", "f32", 4, 4, 8},
        Row{16, 16, 16, "s8", "s32", 2, 2, 8}, Row{32, 8, 16, "u8", "s32", 4, 1, 8}}) {
    for (const bool a_row : {true, false}) {
      for (const bool b_row : {true, false}) {
        const std::string type = row.input;
        const int bytes = type == "tf32" ? 4 : type.ends_with("8") ? 1 : 2;
        const int lda = (a_row ? row.k : row.m) + 16, ldb = (b_row ? row.n : row.k) + 16,
                  ldc = row.n + 4;
        std::vector<std::uint8_t> a(static_cast<std::size_t>(lda * 48 * bytes)),
            b(static_cast<std::size_t>(ldb * 48 * bytes));
        std::vector<U32> c(static_cast<std::size_t>(ldc * row.m)), want(c.size());
        const auto put = [&](std::vector<std::uint8_t>& into, int index, U32 pattern) {
          std::memcpy(into.data() + index * bytes, &pattern, static_cast<std::size_t>(bytes));
        };
        for (int r = 0; r < row.m; ++r)
          for (int k = 0; k < row.k; ++k)
            put(a, a_row ? r * lda + k : k * lda + r, sample(type, r * 3 + k * 5).pattern);
        for (int k = 0; k < row.k; ++k)
          for (int n = 0; n < row.n; ++n)
            put(b, b_row ? k * ldb + n : n * ldb + k, sample(type, k * 7 + n).pattern);
        const bool real = std::string(row.sum) == "f32";
        for (int r = 0; r < row.m; ++r) {
          for (int n = 0; n < row.n; ++n) {
            double sum = r - n;
            const auto at = static_cast<std::size_t>(r * ldc + n);
            c[at] = real ? std::bit_cast<U32>(static_cast<float>(sum)) : static_cast<U32>(r - n);
            for (int k = 0; k < row.k; ++k)
              sum += sample(type, r * 3 + k * 5).value * sample(type, k * 7 + n).value;
            want[at] = real ? std::bit_cast<U32>(static_cast<float>(sum))
                            : static_cast<U32>(static_cast<std::int64_t>(sum));
          }
        }
        std::ostringstream shape, text;
        shape << ".m" << row.m << "n" << row.n << "k" << row.k;
        const std::string layout_a = a_row ? ".row" : ".col", layout_b = b_row ? ".row" : ".col";
        const std::string types =
            type == "f16" ? ".f32.f32"
                          : "." + std::string(row.sum) + "." + type + "." + type + "." + row.sum;
        text << ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, "
                ".param .u64 b, .param .u64 c)\n{ .reg .b64 %rd<9>; .reg .b32 %r<99>;\n"
                "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n"
             << "wmma.load.a.sync.aligned" << layout_a << shape.str() << "." << type << " "
             << list(0, row.a_regs) << ", [%rd1], " << lda << ";\n"
             << "wmma.load.b.sync.aligned" << layout_b << shape.str() << ".global." << type << " "
             << list(20, row.b_regs) << ", [%rd2], " << ldb << ";\n"
             << "wmma.load.c.sync.aligned.row" << shape.str() << ".global." << row.sum << " "
             << list(40, row.sums) << ", [%rd3], " << ldc << ";\n"
             << "wmma.mma.sync.aligned" << layout_a << layout_b << shape.str() << types << " "
             << list(60, row.sums) << ", " << list(0, row.a_regs) << ", " << list(20, row.b_regs)
             << ", " << list(40, row.sums) << ";\n"
             << "wmma.store.d.sync.aligned.row" << shape.str() << "." << row.sum << " [%rd3], "
             << list(60, row.sums) << ", " << ldc << ";\nret; }\n";
        CUfunction kernel = kernel_of(text.str(), "k");
        ASSERT_NE(kernel, nullptr) << text.str();
        Array<std::uint8_t> da(a), db(b);
        Array<U32> dc(c);
        ASSERT_CU(launch(kernel, {}, {32}, 0, da.address, db.address, dc.address));
        ASSERT_CU(api().synchronize());
        ASSERT_CU(dc.fetch());
        EXPECT_EQ(dc.host, want) << type << shape.str() << layout_a << layout_b;
      }
    }
  }
}

TEST_F(Matrices, DoublesAreAChainOfFusedMultiplyAdds) {
  CUfunction kernel = kernel_of(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .b64 %rd<9>; .reg .f64 %fd<9>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 8; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.f64 %fd1, [%rd1]; ld.global.f64 %fd2, [%rd1+256];
  mov.f64 %fd3, 0d3FF0000000000000; mov.f64 %fd4, 0dBFE0000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};
  st.global.v2.f64 [%rd2], {%fd5, %fd6};
  ret; })",
                                "k");
  ASSERT_NE(kernel, nullptr);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> in(64);
  for (double& x : in) x = uniform(random) * std::pow(2.0, static_cast<double>(random() % 60) - 30);
  Array<double> inputs(in), out(64);
  ASSERT_CU(launch(kernel, {}, {32}, 0, inputs.address, out.address));
  ASSERT_CU(out.fetch());
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 2; ++i) {
      const int row = lane / 4, column = lane % 4 * 2 + i;
      double sum = i == 0 ? 1.0 : -0.5;
      for (int k = 0; k < 4; ++k)
        sum = std::fma(in[static_cast<std::size_t>(row * 4 + k)],
                       in[static_cast<std::size_t>(32 + column * 4 + k)], sum);
      EXPECT_EQ(out.host[static_cast<std::size_t>(lane * 2 + i)], sum) << lane << " " << i;
    }
  }
}

// Rows are stored by stmatrix, read back element by element, and loaded again transposed.
TEST_F(Matrices, RowsOfSharedMemory) {
  CUfunction kernel = kernel_of(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b64 %rd<9>; .reg .b32 %r<20>; .shared .align 16 .b8 s[512];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, s; shl.b32 %r3, %r1, 4; add.s32 %r2, %r2, %r3;
  shl.b32 %r4, %r1, 1; mad.lo.s32 %r4, %r1, 0x20000, %r4; add.s32 %r4, %r4, 0x10000;
  add.s32 %r5, %r4, 0x400040; add.s32 %r6, %r5, 0x400040; add.s32 %r7, %r6, 0x400040;
  stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {%r4, %r5, %r6, %r7};
  bar.warp.sync -1;
  shr.u32 %r3, %r3, 2; mov.u32 %r8, s; add.s32 %r3, %r3, %r8; ld.shared.u32 %r9, [%r3];
  st.global.u32 [%rd1], %r9;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r2];
  st.global.u32 [%rd1+128], %r10; st.global.u32 [%rd1+256], %r11;
  ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%r12}, [%r2+128];
  st.global.u32 [%rd1+384], %r12;
  movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r4; st.global.u32 [%rd1+512], %r13;
  ret; })",
                                "k");
  ASSERT_NE(kernel, nullptr);
  Array<U32> out(160);
  ASSERT_CU(launch(kernel, {}, {32}, 0, out.address));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(out.fetch());
  // Element (r, c) of matrix m is m·64 + 8r + c: lane 4r + c/2 holds two of them.
  for (U32 lane = 0; lane < 32; ++lane) {
    const U32 row = lane / 4, column = lane % 4 * 2;
    const U32 pair = (row * 8 + column) | (row * 8 + column + 1) << 16;
    const U32 across = (column * 8 + row) | ((column + 1) * 8 + row) << 16;
    EXPECT_EQ(out.host[lane], pair) << lane;
    EXPECT_EQ(out.host[32 + lane], across) << lane;
    EXPECT_EQ(out.host[64 + lane], across + 0x400040) << lane;
    EXPECT_EQ(out.host[96 + lane], pair + 0x400040) << lane;
    EXPECT_EQ(out.host[128 + lane], across) << lane;
  }
}

TEST_F(Matrices, BoundsAreThoseOfTheAllocation) {
  CUfunction kernel = kernel_of(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{ .reg .b64 %rd<9>; .reg .b32 %r<20>;
  ld.param.u64 %rd1, [a];
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1], 16;
  ret; })",
                                "k");
  ASSERT_NE(kernel, nullptr);
  Array<std::uint16_t> exact(256);
  ASSERT_CU(launch(kernel, {}, {32}, 0, exact.address));
  ASSERT_CU(api().synchronize());
  Array<std::uint16_t> less(255);
  EXPECT_CU(launch(kernel, {}, {32}, 0, less.address));
  EXPECT_NE(api().synchronize(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace warpmark::test
