// The properties that the words of a load or store give.
#pragma once

#include <cstdint>

#include "ptx/module.hpp"

namespace warpmark::cpu {

struct MemoryWords {
  Space space = Space::generic;
  Type type = Type::none;
  std::uint32_t count = 1;                      ///< elements of the vector
  bool polls = false;                           ///< the load can wait for other threads
  bool hint = false;                            ///< a cache policy is the last operand
  std::uint8_t order = 0;                       ///< as Instruction::order
  bool cluster_scope = false, past_l1 = false;  ///< as Instruction's
};

/// The first state space that a form names; generic if it names none.
Space space_of(const InstructionFacts& facts);
/// 2, 4 or 8 with .v2, .v4 or .v8, else 1.
std::uint32_t vector_elements(const InstructionFacts& facts);

/// Reads the words of an ld, ldu or st. Orderings other than .release behave like .weak here, and
/// caching advice changes no result: warps execute one access after another.
MemoryWords memory_words(const InstructionFacts& facts);

/// The operation of an atom or red, such as `add`; none if it has no known operation.
Modifier atomic_operation(const InstructionFacts& facts);

/// Bytes that a load reads in each thread; 0 if it is no load.
std::uint32_t loaded_bytes(const Statement& statement);

}  // namespace warpmark::cpu
