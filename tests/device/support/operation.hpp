// Runs one PTX operation on tables of operands, at every level of the instruction set, and compares
// it with a reference that shares nothing with the device.
#pragma once

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "machine/grid.hpp"
#include "machine/handlers.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"
#include "program/program.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {

using U = std::uint64_t;

// Runs the first kernel of a text, whose parameters are the addresses of rows of four operands, one
// for each thread of blocks of 32, and of as many results of 8 bytes.
inline std::vector<U> run_text(int level, const std::string& text,
                               const std::vector<std::array<U, 4>>& operands,
                               const std::string& what) {
  const Module module = parse_ptx(text);
  const auto kernel = std::find_if(module.functions.begin(), module.functions.end(),
                                   [](const Function& one) { return one.entry; });
  Program program = decode(module, *kernel, Placement{});
  bind(program, *handlers_of_level(level, Watch::bounds));
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{256} << 20);
  const U in = arena.allocate(operands.size() * 32), out = arena.allocate(operands.size() * 8);
  std::memcpy(arena.host(in), operands.data(), operands.size() * 32);
  LaunchShape shape;
  shape.block = {32, 1, 1};
  shape.grid = {static_cast<std::uint32_t>(operands.size() / 32), 1, 1};
  shape.parameters.resize(16);
  std::memcpy(shape.parameters.data(), &in, 8);
  std::memcpy(shape.parameters.data() + 8, &out, 8);
  const LaunchResult result = run_grid(program, shape, arena);
  EXPECT_EQ(result.faults.size(), 0u) << what;
  std::vector<U> values(operands.size());
  std::memcpy(values.data(), arena.host(out), values.size() * 8);
  return values;
}

// Runs `d = op(a, b, c)` for all operands at once at one instruction-set level. `kinds` gives the
// register types of d, a, b, c: f F (32 and 64 bits), r R (integers), h (16 bits). An op with $0 in
// it is whole statements, in which $0 … $4 stand for the registers; %p and %b are there for its
// use.
inline std::vector<U> run_op(int level, const std::string& op, const std::string& kinds,
                             const std::vector<std::array<U, 4>>& operands) {
  const auto name = [](char kind, int index) {
    const std::string prefix = kind == 'f'   ? "%f"
                               : kind == 'F' ? "%fd"
                               : kind == 'r' ? "%r"
                               : kind == 'R' ? "%rd"
                                             : "%rs";
    return prefix + std::to_string(index);
  };
  const auto type = [](char kind) {
    return std::string(kind == 'f'   ? "f32"
                       : kind == 'F' ? "f64"
                       : kind == 'r' ? "u32"
                       : kind == 'R' ? "u64"
                                     : "u16");
  };
  std::string body =
      "ld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out]; mov.u32 %r10, %tid.x; mov.u32 %r11, "
      "%ctaid.x; "
      "mov.u32 %r12, %ntid.x; mad.lo.s32 %r10, %r11, %r12, %r10; mul.wide.u32 %rd12, %r10, 32; "
      "add.s64 %rd10, %rd10, %rd12; "
      "mul.wide.u32 %rd12, %r10, 8; add.s64 %rd11, %rd11, %rd12;\n";
  std::string line = op + " " + name(kinds[0], 0);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    body += "ld.global." + type(kinds[i]) + " " + name(kinds[i], static_cast<int>(i)) +
            ", [%rd10+" + std::to_string((i - 1) * 8) + "];\n";
    line += ", " + name(kinds[i], static_cast<int>(i));
  }
  if (op.find("$0") != std::string::npos) {
    line = op;
    for (std::size_t at = line.find('$'); at != std::string::npos; at = line.find('$')) {
      const auto index = static_cast<std::size_t>(line[at + 1] - '0');
      line.replace(at, 2, name(kinds[index], static_cast<int>(index)));
    }
  }
  body += line + ";\nst.global." + type(kinds[0]) + " [%rd11], " + name(kinds[0], 0) + ";\nret;\n";
  return run_text(
      level,
      ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 in, .param .u64 "
      "out)\n{ "
      ".reg .pred %p<9>; .reg .b8 %b<9>; .reg .b128 %q<9>; .reg .b16 %rs<20>; .reg .b32 %r<20>; "
      ".reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>;\n" +
          body + "}\n",
      operands, op);
}

inline float f32(U bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
inline double f64(U bits) {
  return std::bit_cast<double>(bits);
}
inline U canonical(float value) {
  return std::isnan(value) ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
}
// A binary64 result: a NaN is the first NaN of `sources`, made quiet.
inline U with_payload(double value, std::initializer_list<U> sources) {
  if (!std::isnan(value)) return std::bit_cast<U>(value);
  for (const U source : sources) {
    if (std::isnan(f64(source))) return source | U{1} << 51;
  }
  return 0xfff8000000000000;
}
inline U canonical(double value) {
  return with_payload(value, {});
}

inline std::vector<U> edges32() {
  return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
          0xbf800000, 0x3f800001, 0x40490fdb, 0x4b800000, 0x4b7fffff, 0x4f000000, 0x4effffff,
          0xcf000000, 0x4f800000, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
          0x7fc00000, 0x7f800001, 0xffc12345, 0x3f000000, 0x3fc00000, 0xbf000000, 0x40200000,
          0x42fe0000, 0x437f0000, 0x7fffffff, 0xffffffff};
}
inline std::vector<U> edges64() {
  std::vector<U> edges = {0,
                          U{1} << 63,
                          1,
                          0x000fffffffffffff,
                          0x0010000000000000,
                          0x3ff0000000000001,
                          0x7fefffffffffffff,
                          0x7ff0000000000000,
                          0xfff0000000000000,
                          0x7ff8000000000001,
                          0xfff0000000000001,
                          0x43e0000000000000,
                          0xc3e0000000000000,
                          0x43f0000000000000,
                          0x36a0000000000000,
                          0x3690000000000000,
                          0x47efffffe0000000,
                          0x47effffff0000000,
                          0x380fffffffffffff,
                          0x7fffffffffffffff};
  for (const double value : {1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 2147483648.0, -2147483649.0,
                             4294967296.0, 255.0, 0.1, 1e300}) {
    edges.push_back(std::bit_cast<U>(value));
  }
  return edges;
}
inline std::vector<U> edges_int(int bits) {
  const U top = U{1} << (bits - 1);
  std::vector<U> edges = {0,     1,       2,
                          3,     5,       7,
                          31,    32,      33,
                          63,    64,      65,
                          255,   256,     top - 1,
                          top,   top + 1, ~U{0},
                          ~U{1}, top / 2, top | top / 2,
                          10,    100,     0x5555555555555555};
  std::mt19937_64 random(99);
  while (edges.size() < 32) edges.push_back(random());
  for (U& edge : edges) edge &= bits == 64 ? ~U{0} : (U{1} << bits) - 1;
  return edges;
}
inline std::vector<U> edges_of(char kind) {
  return kind == 'f'   ? edges32()
         : kind == 'F' ? edges64()
                       : edges_int(kind == 'r'   ? 32
                                   : kind == 'R' ? 64
                                                 : 16);
}

// All triples (or pairs, or single values) of edges, and random bits; a multiple of 32.
inline std::vector<std::array<U, 4>> operand_table(const std::string& kinds) {
  std::vector<std::array<U, 4>> table;
  std::mt19937_64 random(20240301);
  const auto& a = edges_of(kinds[1]);
  const auto& b = kinds.size() > 2 ? edges_of(kinds[2]) : std::vector<U>{0};
  const auto& c = kinds.size() > 3 ? edges_of(kinds[3]) : std::vector<U>{0};
  for (const U x : a)
    for (const U y : b)
      for (const U z : c) table.push_back({x, y, z, random()});
  for (int i = 0; i < 2000; ++i) table.push_back({random(), random(), random(), random()});
  while (table.size() % 32 != 0) table.push_back({0, 0, 0, 0});
  return table;
}

using Reference = std::function<U(U, U, U)>;
using Reference4 = std::function<U(U, U, U, U)>;
inline void check(const std::string& op, const std::string& kinds, Reference4 reference,
                  const std::vector<std::array<U, 4>>& extra = {}) {
  auto table = operand_table(kinds);
  table.insert(table.end(), extra.begin(), extra.end());
  while (table.size() % 32 != 0) table.push_back({0, 0, 0, 0});
  const U mask = kinds[0] == 'F' || kinds[0] == 'R' ? ~U{0} : kinds[0] == 'h' ? 0xffff : 0xffffffff;
  const auto cut = [](char kind, U value) {
    return kind == 'F' || kind == 'R' ? value : kind == 'h' ? value & 0xffff : value & 0xffffffff;
  };
  for (const int level : {2, 3, 4}) {
    if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
    const std::vector<U> values = run_op(level, op, kinds, table);
    int shown = 0;
    for (std::size_t i = 0; i < table.size() && shown < 5; ++i) {
      const U a = cut(kinds[1], table[i][0]), b = kinds.size() > 2 ? cut(kinds[2], table[i][1]) : 0,
              c = kinds.size() > 3 ? cut(kinds[3], table[i][2]) : 0,
              e = kinds.size() > 4 ? cut(kinds[4], table[i][3]) : 0;
      const U want = reference(a, b, c, e) & mask;
      if (values[i] == want) continue;
      ++shown;
      ADD_FAILURE() << op << " at level " << level << std::hex << " of " << a << ", " << b << ", "
                    << c << ", " << e << ": got " << values[i] << ", want " << want;
    }
  }
}
inline void check(const std::string& op, const std::string& kinds, const Reference& reference) {
  check(op, kinds, Reference4([&](U a, U b, U c, U) { return reference(a, b, c); }));
}

}  // namespace warpmark::cpu
