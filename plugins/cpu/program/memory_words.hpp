// What the words of a load or store say.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

struct MemoryWords {
  Space space = Space::generic;
  Type type = Type::none;
  std::uint32_t count = 1;  ///< elements of the vector
  bool polls = false;       ///< one waits by such a load for other threads
  bool hint = false;        ///< a cache policy is the last operand
  std::uint8_t order = 0;   ///< as Instruction::order
};

enum class MemoryAccess : std::uint8_t { load, load_uniform, store };

/// Reads the words behind `ld.`, `ldu.` or `st.`. Returns "" if they can stand together, else why
/// not, and with `known` false if there is one that no such instruction has.
std::string_view memory_words(std::string_view opcode, MemoryAccess access, MemoryWords& words,
                              bool& known);

/// What a load reads by its text: bytes of an element, times the elements; zeros if it is no load.
struct LoadedBytes {
  std::uint32_t element = 0, all = 0;
};
LoadedBytes loaded_bytes(std::string_view opcode);

}  // namespace warpmark::cpu
