// The video instructions in every form, with random operands and those at the ends of each range.
//
// The models are the pseudo-code of the PTX ISA (9.7.19, 9.7.20), and where it says `ptxas` what
// the code that ptxas 13.0 makes for sm_90 does otherwise. That was found by executing the code of
// all forms, instruction by instruction, in another program.
#include <algorithm>
#include <iostream>
#include <iterator>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

using S64 = std::int64_t;

constexpr U kSeed = 20261126;
constexpr const char* kTypes[] = {"u32", "s32"};
const std::string kParts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};

std::vector<std::array<U, 4>> operands(std::mt19937_64& random) {
  constexpr U edges[] = {0,          1,          2,          31,         32,         33,
                         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,
                         0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                         0x7f7f7f7f, 0x80808080, 0x7fff8000, 0x80007fff, 0xff00ff00, 0x00ff00ff};
  std::vector<std::array<U, 4>> all(128);
  for (auto& row : all) {
    for (U& value : row) {
      value = random() & 0xffffffff;
      if (random() % 3 != 0) value = edges[random() % std::size(edges)];
    }
  }
  return all;
}

// The words and operands of an instruction.
struct Words {
  std::string operation, second, mode, relation;
  bool sign_d = false, sign_a = false, sign_b = false, saturate = false;
  std::string d, a, b;  ///< selectors
};

S64 part(U value, const std::string& selector, bool sign) {
  const int bits = selector.empty() ? 32 : selector[0] == 'b' ? 8 : 16;
  const int first = selector.empty() ? 0 : (selector[1] - '0') * bits;
  const S64 number = S64(value >> first & ((U{1} << bits) - 1));
  return sign && (number >> (bits - 1)) != 0 ? number - (S64{1} << bits) : number;
}

S64 clamped(S64 value, bool sign, int bits) {
  const S64 most = (S64{1} << (sign ? bits - 1 : bits)) - 1;
  return std::clamp(value, sign ? -most - 1 : 0, most);
}

bool holds(const std::string& relation, S64 a, S64 b) {
  return relation == "eq"   ? a == b
         : relation == "ne" ? a != b
         : relation == "lt" ? a < b
         : relation == "le" ? a <= b
         : relation == "gt" ? a > b
                            : a >= b;
}

S64 with_sign(S64 value, int bits) {
  return S64(U(value) << (64 - bits)) >> (64 - bits);
}

S64 primary(const std::string& operation, S64 a, S64 b, const std::string& mode) {
  const S64 by = mode == "wrap" ? b & 31 : std::min<S64>(b, 32);
  if (operation == "vadd") return a + b;
  if (operation == "vsub") return a - b;
  if (operation == "vabsdiff") return std::abs(a - b);
  if (operation == "vmin") return std::min(a, b);
  if (operation == "vmax") return std::max(a, b);
  if (operation == "vavrg") return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  return operation == "vshl" ? S64(U(a) << by) : a >> by;
}

// .sat
S64 saturated(const Words& words, S64 result, int bits) {
  if (words.operation == "vshl") result = with_sign(result, 34);
  if (words.operation == "vshl" || words.operation == "vshr")  // ptxas: not of the part
    return clamped(result, words.sign_d, 32);
  if (bits != 32) {  // ptxas: compares without signs
    const U most = (U{1} << (words.sign_d ? bits - 1 : bits)) - 1;
    return S64(std::min(U(result), most));
  }
  return words.sign_d ? clamped(result, true, 32) : std::max<S64>(result, 0);  // ptxas: no most
}

// .min and .max
U chosen(const Words& words, S64 result, U c) {
  const bool shift = words.operation == "vshl" || words.operation == "vshr";
  if (words.operation == "vadd" || words.operation == "vsub" || (shift && words.saturate))
    result = with_sign(result, 32);  // ptxas: also of words without signs
  const S64 z = part(c, "", words.sign_d);
  const bool less = words.sign_d ? result < z : U(result) < U(z);
  return U(less == (words.second == "min") ? result : z) & 0xffffffff;
}

U scalar(const Words& words, U a, U b, U c) {
  const S64 x = part(a, words.a, words.sign_a), y = part(b, words.b, words.sign_b);
  const int bits = words.d.empty() ? 32 : words.d[0] == 'b' ? 8 : 16;
  S64 result = words.operation == "vset" ? S64{holds(words.relation, x, y)}
                                         : primary(words.operation, x, y, words.mode);
  if (words.saturate) result = saturated(words, result, bits);
  if (words.second == "add") return (U(result) + c) & 0xffffffff;
  if (!words.second.empty()) return chosen(words, result, c);
  if (words.d.empty()) return U(result) & 0xffffffff;
  if (words.d == "h1") return (U(result) & 0xffff0000) | (c & 0xffff);  // ptxas: no shift
  const int first = (words.d[1] - '0') * bits;
  const U mask = ((U{1} << bits) - 1) << first;
  return (U(result) << first & mask) | (c & ~mask);
}

std::string behind_dot(const std::string& word) {
  return word.empty() ? "" : "." + word;
}

std::string registers(const Words& words, bool third) {
  return " $0" + behind_dot(words.d) + ", $1" + behind_dot(words.a) + ", $2" + behind_dot(words.b) +
         (third ? ", $3" : "");
}

// Runs the statement, and compares each result with the model's.
template <typename Model>
void compare(const std::string& statement, std::mt19937_64& random, Model model) {
  const auto table = operands(random);
  const std::vector<U> values = run_op(2, statement, "rrrr", table);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto [a, b, c, unused] = table[i];
    const U want = model(a, b, c);
    ASSERT_EQ(values[i] & 0xffffffff, want) << statement << std::hex << " of " << a << ", " << b
                                            << ", " << c << "; seed " << std::dec << kSeed;
  }
}

const std::string& any_part(std::mt19937_64& random) {
  return kParts[random() % std::size(kParts)];
}

TEST(Video, OneNumberOfEachRegister) {
  std::mt19937_64 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  const auto each = [&](Words words, const std::string& name) {
    for (const std::string second : {"", "add", "min", "max", "merge", "parts"}) {
      words.second = second == "merge" || second == "parts" ? "" : second;
      words.d = second == "merge" ? kParts[1 + random() % 6] : "";
      words.a = second.empty() ? "" : any_part(random);
      words.b = second.empty() ? "" : any_part(random);
      const bool third = !words.second.empty() || !words.d.empty();
      compare(name + behind_dot(words.second) + registers(words, third), random,
              [&](U a, U b, U c) { return scalar(words, a, b, c); });
      if (::testing::Test::HasFatalFailure()) return;
    }
  };
  for (const std::string operation : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"}) {
    for (int types = 0; types < 8; ++types) {
      const bool shift = operation == "vshl" || operation == "vshr";
      for (const std::string mode : {"clamp", "wrap"}) {
        for (const bool saturate : {false, true}) {
          Words words{operation, "", mode, "", (types & 4) != 0, (types & 2) != 0, (types & 1) != 0,
                      saturate,  "", "",   ""};
          if (shift ? words.sign_b : mode == "wrap") continue;
          each(words, operation + "." + kTypes[words.sign_d] + "." + kTypes[words.sign_a] + "." +
                          kTypes[words.sign_b] + (saturate ? ".sat" : "") +
                          (shift ? "." + mode : ""));
        }
      }
    }
  }
  for (const std::string relation : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    for (int types = 0; types < 4; ++types) {
      const bool a = (types & 2) != 0, b = (types & 1) != 0;
      each({"vset", "", "", relation, a, a, b, false, "", "", ""},
           std::string("vset.") + kTypes[a] + "." + kTypes[b] + "." + relation);
    }
  }
}

struct Product {
  bool sign_a = false, sign_b = false, plus_one = false, saturate = false;
  bool minus_a = false, minus_b = false, minus_c = false;
  int shift = 0;
  std::string a, b;
};

U multiplied(const Product& words, U a, U b, U c) {
  const bool negated = words.minus_a != words.minus_b;
  const bool sign = words.sign_a || words.sign_b || negated || words.minus_c;
  const auto word = [](U value, const std::string& selector, bool is_signed) {
    return with_sign(part(value, selector, is_signed), 32);  // ptxas: also without a sign
  };
  S64 result = word(a, words.a, words.sign_a) * word(b, words.b, words.sign_b);
  int one = words.plus_one ? 1 : 0;
  if (!words.plus_one && negated) {
    result = ~result;
    one = 1;
  } else if (!words.plus_one && words.minus_c) {
    c = ~c & 0xffffffff;
    one = 1;
  }
  result += with_sign(S64(c), 32) + one;
  result = sign ? result >> words.shift : S64(U(result) >> words.shift);
  if (words.saturate) result = clamped(result, sign, 32);
  return U(result) & 0xffffffff;
}

TEST(Video, ProductsAndSums) {
  std::mt19937_64 random(kSeed);
  for (int types = 0; types < 8; ++types) {
    for (int signs = 0; signs < 6; ++signs) {
      for (const int shift : {0, 7, 15}) {
        for (int more = 0; more < 4; ++more) {
          const Product words{(types & 2) != 0,
                              (types & 1) != 0,
                              signs == 5,
                              (more & 1) != 0,
                              signs == 1 || signs == 3,
                              signs == 2 || signs == 3,
                              signs == 4,
                              shift,
                              more < 2 ? "" : any_part(random),
                              more < 2 ? "" : any_part(random)};
          const std::string scale = shift == 0 ? "" : ".shr" + std::to_string(shift);
          compare(std::string("vmad.") + kTypes[types >> 2] + "." + kTypes[words.sign_a] + "." +
                      kTypes[words.sign_b] + (words.plus_one ? ".po" : "") +
                      (words.saturate ? ".sat" : "") + scale + " $0, " +
                      (words.minus_a ? "-" : "") + "$1" + behind_dot(words.a) + ", " +
                      (words.minus_b ? "-" : "") + "$2" + behind_dot(words.b) + ", " +
                      (words.minus_c ? "-" : "") + "$3",
                  random, [&](U a, U b, U c) { return multiplied(words, a, b, c); });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Lanes of 2 or 4 numbers: which ones of a and b each lane takes, and which lanes count.
struct Lanes {
  int count = 2;
  std::vector<int> a, b;
  U mask = 0;
  bool adds = false;
};

U together(const Words& words, const Lanes& lanes, U a, U b, U c) {
  const int bits = 32 / lanes.count;
  const auto number = [&](int which, bool sign) {
    const U from = which < lanes.count ? a : b;
    const S64 value = S64(from >> (which % lanes.count * bits) & ((U{1} << bits) - 1));
    return sign ? with_sign(value, bits) : value;
  };
  U result = c;
  for (int i = 0; i < lanes.count; ++i) {
    if ((lanes.mask >> i & 1) == 0) continue;
    const auto at = static_cast<std::size_t>(i);
    const S64 x = number(lanes.a[at], words.sign_a), y = number(lanes.b[at], words.sign_b);
    S64 one = words.operation == "vset" ? S64{holds(words.relation, x, y)}
                                        : primary(words.operation, x, y, "");
    if (words.saturate) one = clamped(one, words.sign_d, bits);
    const U cut = ((U{1} << bits) - 1) << (i * bits);
    result = lanes.adds ? result + U(one) : (result & ~cut) | (U(one) << (i * bits) & cut);
  }
  return result & 0xffffffff;
}

// Fills in selectors and the mask; `plain` leaves them to what they are without any.
Lanes choose(std::mt19937_64& random, int count, bool plain, Words& words) {
  Lanes lanes;
  lanes.count = count;
  lanes.mask = plain ? (U{1} << count) - 1 : 1 + random() % ((U{1} << count) - 1);
  const std::string letter = count == 2 ? "h" : "b";
  words.a = words.b = words.d = plain ? "" : letter;
  for (int i = 0; i < count; ++i) {
    lanes.a.push_back(plain ? i : static_cast<int>(random() % (2 * U(count))));
    lanes.b.push_back(plain ? i + count : static_cast<int>(random() % (2 * U(count))));
  }
  for (int i = count; !plain && i-- > 0;) {
    words.a += std::to_string(lanes.a[static_cast<std::size_t>(i)]);
    words.b += std::to_string(lanes.b[static_cast<std::size_t>(i)]);
    if ((lanes.mask >> i & 1) != 0) words.d += std::to_string(i);
  }
  return lanes;
}

TEST(Video, SeveralNumbersOfEachRegister) {
  std::mt19937_64 random(kSeed);
  const auto each = [&](Words words, int count, const std::string& name) {
    for (const bool plain : {true, false, false}) {
      for (const bool adds : {false, true}) {
        if (adds && words.saturate) continue;
        Lanes lanes = choose(random, count, plain, words);
        lanes.adds = adds;
        compare(name + (adds ? ".add" : "") + registers(words, true), random,
                [&](U a, U b, U c) { return together(words, lanes, a, b, c); });
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  };
  for (const int count : {2, 4}) {
    for (const std::string operation : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"}) {
      for (int types = 0; types < 16; ++types) {
        const Words words{
            operation,  "", "", "", (types & 4) != 0, (types & 2) != 0, (types & 1) != 0,
            types >= 8, "", "", ""};
        each(words, count,
             operation + std::to_string(count) + "." + kTypes[words.sign_d] + "." +
                 kTypes[words.sign_a] + "." + kTypes[words.sign_b] +
                 (words.saturate ? ".sat" : ""));
      }
    }
    for (const std::string relation : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      for (int types = 0; types < 4; ++types) {
        const bool a = (types & 2) != 0, b = (types & 1) != 0;
        each({"vset", "", "", relation, false, a, b, false, "", "", ""}, count,
             "vset" + std::to_string(count) + "." + kTypes[a] + "." + kTypes[b] + "." + relation);
      }
    }
  }
}

// A register may be the result and an operand, and numbers stand where registers do.
TEST(Video, OperandsOfEachKind) {
  std::mt19937_64 random(kSeed);
  compare("mov.u32 $0, $1; vadd4.u32.s32.u32 $0, $0, $0.b0123, $0", random, [](U a, U, U) {
    U result = 0;
    for (int i = 0; i < 32; i += 8)
      result |= (((a >> i & 0xff) + (a >> (24 - i) & 0xff)) & 0xff) << i;
    return result;
  });
  compare("mov.u32 $0, $3; vsub.s32.u32.u32 $0.h0, $0, $0.b3, $0", random,
          [](U, U, U c) { return (c & 0xffff0000) | ((c - (c >> 24)) & 0xffff); });
  compare("vadd.s32.s32.s32.sat $0, $1, -2147483648", random, [](U a, U, U) {
    return U(clamped(part(a, "", true) - 0x80000000LL, true, 32)) & 0xffffffff;
  });
  compare("vmad.u32.u32.u32 $0, 3, $2.b1, 70000", random,
          [](U, U b, U) { return 3 * (b >> 8 & 0xff) + 70000; });
  compare("vmax.u32.u32.u32 $0, $1, $2, $3", random, [](U a, U b, U) { return std::max(a, b); });
}

}  // namespace
}  // namespace warpmark::cpu
