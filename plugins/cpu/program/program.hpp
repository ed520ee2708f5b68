// One kernel, decoded: instructions over register slots, in blocks of a control-flow graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/opcode.hpp"
#include "ptx/module.hpp"

namespace warpmark::cpu {

struct Lanes;
struct Instruction;
/// Executes one instruction for the active lanes of a warp.
using Handler = void (*)(Lanes&, const Instruction&);

/// A decoded instruction. Operands are byte offsets into the register file of a warp, where a
/// 32-bit register takes 32 × 4 bytes, a 64-bit one 32 × 8, and a predicate 4 (one bit a lane).
/// Constants and special registers are registers, too, so that no handler needs to know the
/// difference.
struct Instruction {
  static constexpr std::uint32_t kNone = 0xffffffff;
  Handler run[2] = {nullptr, nullptr};    ///< for some lanes; for all 32. Set by the machine
  Handler inner[2] = {nullptr, nullptr};  ///< of a guarded instruction, what the guard lets through
  std::uint32_t d = kNone, a = kNone, b = kNone, c = kNone;  ///< vectors use all four as data
  std::uint32_t address = kNone;                             ///< of loads and stores
  std::uint32_t guard = kNone;                               ///< predicate
  std::int64_t imm = 0;         ///< offset of an access; a comparison's Combine
  std::uint32_t statement = 0;  ///< index into Function::statements, for reports
  std::uint32_t site = 0;       ///< number among the kernel's accesses
  Opcode opcode = Opcode::count;
  std::uint8_t count = 1;  ///< elements of a vector
  bool guard_negated = false;
  bool negated = false;         ///< of a comparison's or selection's predicate operand c
  bool address_narrow = false;  ///< the address register has 32 bits
};

/// Instruction::imm of comparisons with a second predicate.
enum Combine : std::int64_t { kCombineNone, kCombineAnd, kCombineOr, kCombineXor };

/// How a block ends.
enum class Exit : std::uint8_t {
  jump,     ///< to `next`
  branch,   ///< lanes with the predicate to `taken`, others to `next`
  leave,    ///< the threads are done
  barrier,  ///< wait for the block's threads, then `next`
  warp,     ///< wait for the lanes of a mask at any such place, then `next`
  collect,  ///< wait for the lanes of a mask at this very place: before a shuffle or vote
  trap,     ///< the launch fails
};

/// Instructions without a branch into or out of them. Blocks are numbered so that a block comes
/// after everything it must wait for to reconverge: see flow.hpp.
struct Block {
  std::uint32_t begin = 0, end = 0;  ///< in Program::code
  std::uint32_t weight = 0;          ///< PTX instructions, the one that ends it included
  Exit exit = Exit::leave;
  bool negated = false;      ///< the branch is taken where the predicate is false
  bool arrive_only = false;  ///< bar.arrive
  bool polls = false;        ///< has an access by which one waits for other threads
  std::uint32_t predicate = Instruction::kNone;
  std::uint32_t next = 0, taken = 0;
  std::uint32_t barrier = Instruction::kNone;  ///< slot of the barrier's number, or of a lane mask
  std::uint32_t threads = Instruction::kNone;  ///< slot of the number of threads, if given
  std::uint32_t statement = 0;                 ///< of the instruction that ends it
};

/// Values that the machine provides in register slots.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  warp_size,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  dynamic_smem_size,
  total_smem_size,
  zero
};

struct Program {
  struct Constant {
    std::uint32_t slot = 0;
    bool wide = false;
    std::uint64_t value = 0;
  };
  struct SpecialSlot {
    std::uint32_t slot = 0;
    Special which = Special::tid_x;
  };
  std::string name;
  std::vector<Instruction> code;
  std::vector<Block> blocks;        ///< the first is the entry
  std::vector<Constant> constants;  ///< the same in every lane
  std::vector<SpecialSlot> specials;
  std::uint32_t register_bytes = 0;  ///< of one warp; a multiple of 64
  std::uint32_t sites = 0;           ///< loads and stores
  std::uint32_t shared_bytes = 0;    ///< static; dynamic shared memory follows at `dynamic_offset`
  std::uint32_t dynamic_offset = 0;
  std::uint32_t local_bytes = 0;       ///< of one thread
  const Function* function = nullptr;  ///< parameters, and statements for reports
  const Module* module = nullptr;      ///< file names
};

/// Where the machine put what a program refers to.
struct Placement {
  /// Device address of a .global or .const variable; 0 if there is none of that name.
  std::function<std::uint64_t(std::string_view)> variable;
  std::uint64_t shared_window = 0, local_window = 0, param_window = 0;
};

/// Decodes a kernel. Throws PtxError: `unsupported` for an instruction that is valid but not
/// implemented, with the instruction's text, otherwise for wrong operands. The function and module
/// must outlive the program.
Program decode(const Module& module, const Function& function, const Placement& placement);

}  // namespace warpmark::cpu
