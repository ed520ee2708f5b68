// The instructions that PTX has and this device has not, and what is wrong with all others that it
// does not know.
#pragma once

#include <string>
#include <string_view>

#include "program/targets.hpp"

namespace warpmark::cpu {

/// Instructions of PTX that this device does not execute: docs/cpu-device.md lists the same.
struct Absent {
  std::string_view first;  ///< the opcode's first word, such as mma
  /// One of these words makes it an instruction that is not here; "" if all with the first are.
  std::string_view needs;
  std::string_view words;  ///< all that may stand behind the first, beside shapes such as m16n8k32
  int types = 0;           ///< how many of the words are types such as .u32, at the least
  Target least = {};
  std::string_view also = {};  ///< a word that it has in any case
};

/// The row that an opcode belongs to: null if this device ought to know the opcode, or if PTX has
/// no such one. A word that the instruction does not have makes it the latter.
const Absent* find_absent(std::string_view opcode);

/// Why an opcode that is not known is none of PTX: a word that there is not, or one that is
/// missing.
std::string what_is_wrong(std::string_view opcode);

}  // namespace warpmark::cpu
