// Handlers of the moves, selections and integer operations of opcodes_integer.def.
// Compiled once for each WARPMARK_ISA; see numerics.hpp for what that forbids.
#include "machine/handlers.hpp"
#include "machine/lane_loops.hpp"
#include "machine/operations.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

void fill_integers(HandlerTable& table) {
  constexpr bool kTwoForms = true;
#include "machine/rows.def"

#include "program/opcodes_integer.def"

#include "program/opcodes_end.def"
}

}  // namespace warpmark::cpu::WARPMARK_ISA
