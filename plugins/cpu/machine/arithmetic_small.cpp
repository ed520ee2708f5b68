// Handlers of the binary16 and bfloat16 operations of opcodes_small.def.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
#include "machine/handlers.hpp"
#include "machine/lane_loops.hpp"
#include "machine/operations.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

void fill_small_floats(HandlerTable& table) {
  constexpr bool kTwoForms = true;
#include "machine/rows.def"

#include "program/opcodes_small.def"

#include "program/opcodes_end.def"
}

}  // namespace warpmark::cpu::WARPMARK_ISA
