// Handlers of opcodes_once_integer.def, compiled once for all levels of the processor.
#include "machine/handlers.hpp"
#include "machine/lane_loops.hpp"
#include "machine/operations.hpp"

namespace warpmark::cpu::once {

void fill_integers(HandlerTable& table) {
  constexpr bool kTwoForms = false;
#include "machine/rows.def"

#include "program/opcodes_once_integer.def"

#include "program/opcodes_end.def"
}

}  // namespace warpmark::cpu::once
