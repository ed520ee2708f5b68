// The same bits from every level of the processor's instruction set, for every arithmetic opcode.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "device/support/operation.hpp"

namespace warpmark::cpu {
namespace {

// Registers of a warp: a result and five operands, each as wide as the widest.
constexpr std::uint32_t kSlot = 256, kSlots = 6;
struct alignas(64) Registers {
  std::array<std::byte, kSlot * kSlots> bytes{};
  bool operator==(const Registers&) const = default;
};

// Lanes that mean something to an operation of any type: edges of each width, and random bits.
Registers fill(std::mt19937_64& random) {
  static const std::vector<U> narrow = edges32(), wide = edges64(), integers = edges_int(32);
  Registers registers;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const auto width = random() % 4;  // what most of its lanes are
    for (std::uint32_t at = 0; at < kSlot; at += 8) {
      U value = random();
      const auto pick = [&](const std::vector<U>& edges) { return edges[random() % edges.size()]; };
      if (width == 0 && random() % 4 != 0) value = pick(narrow) | pick(narrow) << 32;
      if (width == 1 && random() % 4 != 0) value = pick(wide);
      if (width == 2 && random() % 4 != 0) value = pick(integers) | pick(integers) << 32;
      if (width == 3 && random() % 4 != 0) {  // exponents near each other, of binary32
        const U exponents = (U{120} + random() % 16) << 23 | (U{120} + random() % 16) << 55;
        value = (value & 0x807fffff807fffff) | exponents;
      }
      std::memcpy(registers.bytes.data() + slot * kSlot + at, &value, 8);
    }
  }
  return registers;
}

bool is_comparison(int opcode) {
#define UNARY(...)
#define BINARY(...)
#define TERNARY(...)
#define QUATERNARY(...)
#define SELECT(...)
#define MASK(...)
#define CARRY(...)
#define ROUNDED_UNARY(...)
#define ROUNDED_BINARY(...)
#define ROUNDED_TERNARY(...)
#define COMPARE(id, ...) case Opcode::id:
  switch (static_cast<Opcode>(opcode)) {
#include "program/opcodes.def"
    return true;
    default:
      return false;
  }
}

TEST(Levels, EveryOpcodeGivesTheSameBits) {
  const HandlerTable* tables[3] = {};
  for (int level = 2; level <= 4; ++level)
    tables[level - 2] = handlers_of_level(level, Watch::bounds);
  if (tables[1] == nullptr) GTEST_SKIP() << "this processor has only one level";
  // Opcodes are numbered by the table of arithmetic, then by that of memory.
  constexpr int arithmetic = static_cast<int>(Opcode::load_global_u8_32);
  static_assert(arithmetic > 500);
  int compared = 0;
  for (int opcode = 0; opcode < arithmetic; ++opcode) {
    std::mt19937_64 random(static_cast<unsigned>(opcode) + 1);
    for (int round = 0; round < 60; ++round) {
      Instruction instruction;
      instruction.opcode = static_cast<Opcode>(opcode);
      instruction.d = 0;
      instruction.a = kSlot;
      instruction.b = 2 * kSlot;
      instruction.c = 3 * kSlot;
      instruction.e = 4 * kSlot;
      instruction.predicate = random() % 2 == 0 ? 4 * kSlot : Instruction::kNone;
      instruction.negated = random() % 2 == 0;
      // Comparisons: a random way of combining, with or without a second result.
      instruction.imm = static_cast<std::int64_t>(random() % 4);
      if (is_comparison(opcode) && random() % 2 == 0) {
        instruction.imm = kCombineNone;
        instruction.predicate = Instruction::kNone;
      }
      const std::uint32_t more[4] = {4 * kSlot, 5 * kSlot, 4 * kSlot, 5 * kSlot};
      const Registers before = fill(random);
      const auto mask = static_cast<std::uint32_t>(random());
      for (const int form : {0, 1}) {
        Registers first;
        for (const HandlerTable* table : tables) {
          if (table == nullptr) continue;
          const HandlerRow& row = table->rows[opcode];
          const Handler handler = form == 0 ? row.masked : row.full;
          Registers registers = before;
          Lanes lanes;
          lanes.registers = registers.bytes.data();
          lanes.mask = form == 1 ? 0xffffffff : mask;
          lanes.operands = more;
          handler(lanes, instruction);
          if (table == tables[0])
            first = registers;
          else
            ASSERT_TRUE(registers == first)
                << "opcode " << opcode << ", form " << form << ", round " << round << ", level "
                << (table == tables[1] ? 3 : 4);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 100000);
}

}  // namespace
}  // namespace warpmark::cpu
