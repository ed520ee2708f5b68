// Decoding of alloca, stacksave and stackrestore: a stack of its own, behind the kernel's
// variables.
#include <algorithm>
#include <cstdint>

#include "program/decoder.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::int64_t kUsualAlignment = 8;

// The address that alloca returns when the stack is full. It lies beyond every thread's local
// memory but inside its window, so that an access fails like one beyond local memory.
constexpr std::uint64_t kNowhere = 2 << 20;

// The 64-bit register with the stack's top, a constant that instructions change: the machine fills
// it in anew for every block. The bytes are the thread's stack size, as for kernels that recurse.
std::uint32_t stack_top(Emitter& out) {
  if (out.shared.stack == Instruction::kNone) {
    out.shared.stack = out.allocate(true);
    const std::uint32_t begin = out.program.kernel_local_bytes;
    out.program.constants.push_back({out.shared.stack, true, begin});
    out.shared.stack_end = begin + out.placement.stack_bytes;
    out.program.local_bytes = out.program.kernel_local_bytes = out.shared.stack_end;
  }
  return out.shared.stack;
}

void move_stack(Emitter& out, std::uint32_t to, std::uint32_t from) {
  Instruction move;
  move.opcode = Opcode::mov_b64;
  move.d = to;
  move.a = from;
  out.emit_unguarded(move);
}

}  // namespace

void decode_stack(Emitter& out) {
  // Addresses of local memory fit 32 bits.
  const Type type = out.facts().types.front();
  const bool narrow = type == Type::u32;
  if (out.facts().mnemonic == Mnemonic::stacksave) {
    out.expect_operands(1);
    out.emit(narrow ? Opcode::cvt_u32_u64 : Opcode::mov_b64, out.destination(0, type),
             stack_top(out));
    return;
  }
  if (out.facts().mnemonic == Mnemonic::stackrestore) {
    out.expect_operands(1);
    const Operand& top = out.operand(0);
    if (top.kind != OperandKind::reg || (narrow && top.value != 0))
      out.invalid("expected a register");
    out.emit(narrow ? Opcode::cvt_u64_u32 : Opcode::mov_b64, stack_top(out), out.source(0, type));
    return;
  }
  out.expect_operands(2, 3);
  std::int64_t alignment = kUsualAlignment;
  if (out.operands() == 3) {
    const Operand& given = out.operand(2);
    alignment = given.value;
    if (given.kind != OperandKind::integer || alignment <= 0 || (alignment & (alignment - 1)) != 0)
      out.invalid("an alignment is a power of two");
  }
  const std::uint32_t top = stack_top(out);
  const auto less_one = static_cast<std::uint64_t>(alignment) - 1;
  const std::uint32_t begin = out.allocate(true), bytes = out.allocate(true),
                      past = out.allocate(false);
  const std::uint32_t d = out.destination(0, type);
  std::uint32_t wanted = out.source(1, type);
  if (narrow) {
    out.emit(Opcode::cvt_u64_u32, bytes, wanted);
    wanted = bytes;
  }
  // No more than does not fit, so that no sum wraps around.
  out.emit(Opcode::min_u64, bytes, wanted,
           out.constant(out.placement.stack_bytes + std::uint64_t{1}, true));
  out.emit(Opcode::add_64, begin, top, out.constant(less_one, true));
  out.emit(Opcode::and_64, begin, begin, out.constant(~less_one, true));
  out.emit(Opcode::add_64, top, begin, bytes);
  out.emit(Opcode::setp_lt_u64, past, out.constant(out.shared.stack_end, true), top);
  out.emit(Opcode::selp_b64, narrow ? begin : d, out.constant(kNowhere, true), begin, past);
  if (narrow) out.emit(Opcode::cvt_u32_u64, d, begin);
}

void keep_stack(Emitter& out) {
  const bool allocates = std::ranges::any_of(
      out.function.statements,
      [](const Statement& statement) { return statement.facts->mnemonic == Mnemonic::alloca; });
  if (out.in_kernel() || !allocates) return;
  out.stack_before = out.allocate(true);
  out.program.callees[out.callee].registers.push_back({out.stack_before, 8});
  move_stack(out, out.stack_before, stack_top(out));
}

void give_stack_back(Emitter& out) {
  if (out.stack_before != Instruction::kNone) move_stack(out, stack_top(out), out.stack_before);
}

}  // namespace warpmark::cpu
