// Handlers of opcodes_rare.def, compiled once: nothing in a hurry uses them.
#define WARPMARK_ISA rare
#include "machine/lane_loops.hpp"

#define WARPMARK_RARE_OPCODES
#include "machine/operations.hpp"
#undef WARPMARK_RARE_OPCODES

namespace warpmark::cpu {
namespace {

using namespace rare;

HandlerRow& row(HandlerTable& table, Opcode opcode) {
  return table.rows[static_cast<int>(opcode)];
}

}  // namespace

void fill_rare_forms(HandlerTable& table) {
#define SET(id, ...)                                      \
  {                                                       \
    constexpr Handler handler = __VA_ARGS__;              \
    row(table, Opcode::id) = {handler, handler, nullptr}; \
  }
#define BINARY(id, D, A, B, names, ...) SET(id, binary<id##_op, D, A, B, false>)
#define TERNARY(id, D, A, B, C, names, ...) SET(id, ternary<id##_op, D, A, B, C, false>)
#define CARRY(id, T, operands, reads, names, ...) SET(id, with_carry<id##_op, T, reads>)
#define COMPARE(id, A, name, ...)                                                   \
  row(table, Opcode::id) = {compare<id##_op, A, false>, compare<id##_op, A, false>, \
                            compare_combined<id##_op, A>};
#define ROUNDED_BINARY(id, D, A, B, base, mode, names) \
  SET(id, rounded<binary<base##_op, D, A, B, false>, Round::mode>)
#define ROUNDED_TERNARY(id, D, A, B, C, base, mode, names) \
  SET(id, rounded<ternary<base##_op, D, A, B, C, false>, Round::mode>)
#include "program/opcodes_rare.def"
}

}  // namespace warpmark::cpu
