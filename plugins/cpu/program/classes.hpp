// Which class of instructions a PTX name belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmark::cpu {

enum class InstructionClass : std::uint8_t {
#define CLASS(name) of_##name,
#include "program/classes.def"
  count
};

inline constexpr std::size_t kClasses = static_cast<std::size_t>(InstructionClass::count);

/// One number for each class.
using ClassCounts = std::array<std::uint64_t, kClasses>;

/// The class of an opcode with all its modifiers, such as "fma.rn.f32".
InstructionClass class_of(std::string_view opcode);

}  // namespace warpmark::cpu
