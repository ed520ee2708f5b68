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

}  // namespace

// The 64-bit register with the stack's top, a constant that instructions change: the machine fills
// it in anew for every block. The bytes are the thread's stack size, as for kernels that recurse.
std::uint32_t Decoder::stack_top() {
  if (shared_.stack == Instruction::kNone) {
    shared_.stack = allocate(true);
    const std::uint32_t begin = program_.kernel_local_bytes;
    program_.constants.push_back({shared_.stack, true, begin});
    shared_.stack_end = begin + placement_.stack_bytes;
    program_.local_bytes = program_.kernel_local_bytes = shared_.stack_end;
  }
  return shared_.stack;
}

void Decoder::stack(const Statement& statement) {
  // Addresses of local memory fit 32 bits.
  const Type type = statement.facts->types.front();
  const bool narrow = type == Type::u32;
  if (statement.facts->mnemonic == Mnemonic::stacksave) {
    expect_operands(statement, 1, 1);
    emit_plain(statement, narrow ? Opcode::cvt_u32_u64 : Opcode::mov_b64,
               destination(statement, 0, type), stack_top());
    return;
  }
  if (statement.facts->mnemonic == Mnemonic::stackrestore) {
    expect_operands(statement, 1, 1);
    const Operand& top = operand(statement, 0);
    if (top.kind != OperandKind::reg || (narrow && top.value != 0))
      invalid(statement, "expected a register");
    emit_plain(statement, narrow ? Opcode::cvt_u64_u32 : Opcode::mov_b64, stack_top(),
               source(statement, 0, type));
    return;
  }
  expect_operands(statement, 2, 3);
  std::int64_t alignment = kUsualAlignment;
  if (statement.operands == 3) {
    const Operand& given = operand(statement, 2);
    alignment = given.value;
    if (given.kind != OperandKind::integer || alignment <= 0 || (alignment & (alignment - 1)) != 0)
      invalid(statement, "an alignment is a power of two");
  }
  const std::uint32_t top = stack_top();
  const auto less_one = static_cast<std::uint64_t>(alignment) - 1;
  const std::uint32_t begin = allocate(true), bytes = allocate(true), past = allocate(false);
  const std::uint32_t d = destination(statement, 0, type);
  std::uint32_t wanted = source(statement, 1, type);
  if (narrow) {
    emit_plain(statement, Opcode::cvt_u64_u32, bytes, wanted);
    wanted = bytes;
  }
  // No more than does not fit, so that no sum wraps around.
  emit_plain(statement, Opcode::min_u64, bytes, wanted,
             constant(placement_.stack_bytes + std::uint64_t{1}, true));
  emit_plain(statement, Opcode::add_64, begin, top, constant(less_one, true));
  emit_plain(statement, Opcode::and_64, begin, begin, constant(~less_one, true));
  emit_plain(statement, Opcode::add_64, top, begin, bytes);
  emit_plain(statement, Opcode::setp_lt_u64, past, constant(shared_.stack_end, true), top);
  emit_plain(statement, Opcode::selp_b64, narrow ? begin : d, constant(kNowhere, true), begin,
             past);
  if (narrow) emit_plain(statement, Opcode::cvt_u32_u64, d, begin);
}

// A function gives back what it took: the top as it was on entry is kept in a register of its own.
void Decoder::keep_stack() {
  const bool allocates = std::any_of(
      function_.statements.begin(), function_.statements.end(),
      [](const Statement& statement) { return statement.facts->mnemonic == Mnemonic::alloca; });
  if (callee_ == Instruction::kNone || !allocates) return;
  stack_before_ = allocate(true);
  program_.callees[callee_].registers.push_back({stack_before_, 8});
  move_stack(function_.statements.front(), stack_before_, stack_top());
}

void Decoder::give_stack_back(const Statement& statement) {
  if (stack_before_ != Instruction::kNone) move_stack(statement, stack_top(), stack_before_);
}

void Decoder::move_stack(const Statement& statement, std::uint32_t to, std::uint32_t from) {
  Instruction move;  // whatever the statement's guard
  move.opcode = Opcode::mov_b64;
  move.d = to;
  move.a = from;
  move.statement =
      first_statement_ + static_cast<std::uint32_t>(&statement - function_.statements.data());
  program_.code.push_back(move);
}

}  // namespace warpmark::cpu
