// Registers with undefined values, while a warp has any.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/values/combination.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

struct Lanes;

/// The undefined bits of one lane's register, and their origin. Values are followed bit by bit, so
/// that padding and bit-fields may be copied along with the undefined bits beside them; a result
/// that depends on undefined bits is `computed`.
struct Definedness {
  static constexpr std::uint32_t kComputed = 1, kLowPart = 2, kJoined = 4, kFlags = 7;
  /// The bit that marks an origin kept in memory as present.
  static constexpr std::uint32_t kKept = 1u << 31;
  std::uint64_t undefined = 0;  ///< a one for each bit without a value
  std::uint32_t origin = 0;     ///< flags, space and statement

  /// `statement` read the undefined bits from `space`.
  static Definedness make(std::uint64_t undefined, Space space, std::uint32_t statement) {
    if (undefined == 0) return {};
    const std::uint32_t from = space == Space::global   ? 1
                               : space == Space::shared ? 2
                               : space == Space::local  ? 3
                                                        : 0;
    return {undefined, from << 3 | statement << 5};
  }
  [[nodiscard]] bool incomplete() const { return undefined != 0; }
  [[nodiscard]] bool computed() const { return (origin & kComputed) != 0; }
  /// True for the low bits of a value with zeros before them: a part of a word that is stored back
  /// where it came from, or a number made of an undefined one.
  [[nodiscard]] bool low_part() const { return (origin & kLowPart) != 0; }
  /// True if other bits have been put beside it.
  [[nodiscard]] bool joined() const { return (origin & kJoined) != 0; }
  /// Space::param stands for a register: one that was never written, or that of a lane which takes
  /// no part in a shuffle.
  [[nodiscard]] Space space() const {
    constexpr Space kSpaces[] = {Space::param, Space::global, Space::shared, Space::local};
    return kSpaces[origin >> 3 & 3];
  }
  [[nodiscard]] std::uint32_t statement() const { return origin >> 5; }
  /// True if the value was read by a shuffle, `statement`, from a lane that takes no part in it.
  [[nodiscard]] bool of_inactive_lane() const {
    return undefined != 0 && space() == Space::param && statement() != 0;
  }
  /// The same origin for other undefined bits; fully defined if `bits` is 0.
  [[nodiscard]] Definedness with(std::uint64_t bits) const {
    return undefined == 0 || bits == 0 ? Definedness{} : Definedness{bits, origin};
  }
  /// The definedness of a value computed from this one, with `bits` undefined.
  [[nodiscard]] Definedness computing(std::uint64_t bits) const {
    return undefined == 0 || bits == 0 ? Definedness{} : Definedness{bits, origin | kComputed};
  }
};

/// The bits of bytes: eight for each bit of `bytes`, of up to eight bytes.
std::uint64_t bits_of_bytes(std::uint32_t bytes);

/// The definedness of a warp's registers. It is kept only while a register has an undefined value:
/// a warp without undefined values runs at full speed, and so do instructions that touch no such
/// register.
class WarpDefinedness {
 public:
  /// Resets for a program whose registers take `register_bytes` bytes for each warp.
  void reset(std::uint32_t register_bytes);
  [[nodiscard]] bool any() const { return incomplete_ > 0; }
  [[nodiscard]] Definedness get(std::uint32_t slot, std::uint32_t lane) const {
    return (lanes(slot) >> lane & 1) != 0 ? definedness_[slot / kSlot * 32 + lane] : Definedness{};
  }
  void set(std::uint32_t slot, std::uint32_t lane, const Definedness& defined);
  /// The lanes whose register is not fully defined.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t slot) const {
    return any() && slot != Instruction::kNone ? lanes_[slot / kSlot] : 0;
  }

 private:
  static constexpr std::uint32_t kSlot = 128;  ///< bytes of the smallest register
  std::uint32_t register_bytes_ = 0;
  std::uint64_t incomplete_ = 0;      ///< number of incomplete lanes, over all registers
  std::vector<std::uint32_t> lanes_;  ///< incomplete lanes of each register
  std::vector<Definedness> definedness_;
};

/// The registers that each instruction of a program reads or writes.
class OperandSlots {
 public:
  explicit OperandSlots(const Program& program);
  /// Returns whether an instruction, by its number in Program::code, reads or writes a register
  /// that is not fully defined.
  [[nodiscard]] bool touch(const WarpDefinedness& definedness, std::uint32_t instruction) const {
    std::uint32_t lanes = 0;
    for (std::uint32_t k = first_[instruction]; k < first_[instruction + 1]; ++k)
      lanes |= definedness.lanes(slots_[k]);
    return lanes != 0;
  }

 private:
  std::vector<std::uint32_t> first_, slots_;
};

/// Sets the definedness of the results of an instruction of the program that is about to run for
/// `mask`. It leaves those of loads fully defined: the memory's hooks set theirs.
void propagate(WarpDefinedness& definedness, const Program& program,
               const Combinations& combinations, const Lanes& lanes, const Instruction& instruction,
               std::uint32_t mask);

}  // namespace warpmark::cpu
