// The decoders of instructions, and the decoding of a function around them; private to program/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "program/emitter.hpp"

namespace warpmark::cpu {

/// One function for each family of instructions, such as decode_memory: it decodes the emitter's
/// statement.
#define FAMILY(name) void decode_##name(Emitter& out);
#include "ptx/families.def"

// --- around the families

/// The functions that a kernel can reach, callees before their callers and the kernel last.
struct CallGraph {
  std::vector<std::uint32_t> order;                    ///< indices into Module::functions
  std::vector<std::vector<std::uint32_t>> successors;  ///< by place in `order`
  std::vector<std::uint32_t> pointed;  ///< places of functions whose address is taken
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to) const;
};
CallGraph call_graph(const Module& module, const Function& kernel);
/// Marks loads that are not repeated inside their function (Instruction::kOnce) as repeated if the
/// function is called in a loop, or through a pointer.
void mark_repeated_functions(Program& program);
/// Sizes a thread's stack: exactly for calls that end, `recursive_bytes` more for others.
void lay_out_stack(Program& program, const CallGraph& graph, std::uint32_t recursive_bytes);

void place_variables(Emitter& out);
void place_dynamic_shared(Emitter& out);
/// Cuts the function into blocks, and decodes its statements.
void decode_blocks(Emitter& out);
/// Decodes a statement that does not end a block.
void decode_instruction(Emitter& out);

// --- statements that end a block

/// Blocks that no statement begins, numbered behind those of statements.
struct ExtraBlocks {
  std::uint32_t first = 0;
  std::vector<BasicBlock> blocks;

  std::uint32_t add(const BasicBlock& block) {
    blocks.push_back(block);
    return first + static_cast<std::uint32_t>(blocks.size()) - 1;
  }
};
/// Decodes how a block ends, but for brx. A jump's BasicBlock::next is a statement.
void end_block(Emitter& out, BasicBlock& block);
/// The barrier leaves its count in registers; a block behind it makes the result of that.
void barrier_reduction(Emitter& out, BasicBlock& block, ExtraBlocks& extra);
bool is_indexed_branch(const Statement& statement);
const BranchTable& branch_table(const Emitter& out);
/// `block_at` has the block of each statement.
void indexed_branch(Emitter& out, BasicBlock& block, const std::vector<std::uint32_t>& block_at,
                    ExtraBlocks& extra);
void call(Emitter& out, BasicBlock& block);
/// Returns true if `name` is a function that the device provides.
bool runtime_call(Emitter& out, std::string_view name, const Call& call, BasicBlock& block);
/// A function that uses alloca gives back what it took: the top as it was on entry is kept in
/// Emitter::stack_before.
void keep_stack(Emitter& out);
void give_stack_back(Emitter& out);
bool is_collective(const Statement& statement);
/// The lanes that a collective waits for: its last operand, of a matrix instruction all.
std::uint32_t members(Emitter& out);

// --- shared by families

/// Decodes an operation that opcodes.def has a line for.
void arithmetic(Emitter& out, const OpcodeInfo& info);
/// setp: p{|q}, a, b{, {!}c}.
void comparison(Emitter& out, const OpcodeInfo& info, Combine combine);
void comparison_result(Emitter& out, Instruction& instruction);
/// The predicate {!}p that an operation reads beside its numbers.
void condition(Emitter& out, std::size_t index, Instruction& instruction);
/// lop3's table.
void check_table(const Emitter& out);

/// The slot of an address's base; its offset, and what else is known of it, go into `instruction`.
std::uint32_t address(Emitter& out, const Operand& operand, Space& space, Instruction& instruction,
                      bool constants = false);
/// A 64-bit register with an address, its offset added.
std::uint32_t address_value(Emitter& out, const Operand& operand, Space space);
/// The state space of the variable that an address names; nothing if it names none.
std::optional<Space> space_of_name(const Emitter& out, const Operand& address);
/// Returns whether the module's variable is a .const variable, which lies in global memory here.
bool is_constant_variable(const Emitter& out, std::string_view name);
/// The size of a line of the cache and of a tensor map.
void check_line(const Emitter& out);

/// One element of a vector: a register of the type, or a constant.
std::uint32_t element(Emitter& out, const Operand& operand, Type type, bool wider = false);
/// Appends `count` elements; a vector of one may stand without its braces.
void vector(Emitter& out, const Operand& operand, std::size_t count, Type type,
            std::vector<std::uint32_t>& slots);

/// The opcode of an atomic operation that a copy or store makes.
Opcode reduction_of(const Emitter& out, Modifier operation, Type type, bool noftz = false);
void tensor_copy(Emitter& out, bool reduces);

enum class Element : std::uint8_t;
struct MatrixForm;
/// The types that an instruction of matrices names, in their order.
std::vector<Element> elements_of(const InstructionFacts& facts);
/// The registers of one fragment: { … }. Bits are no other type, but for those of ldmatrix and
/// stmatrix, which take `any`.
void fragment(Emitter& out, std::size_t index, Type type, std::uint32_t count, bool result,
              std::vector<std::uint32_t>& into, bool any = false);
/// .kind::…: returns false if there is none. Sparse matrices have twice the columns.
bool narrow_kind(const Emitter& out, MatrixForm& form);
void sparse_operands(Emitter& out, MatrixForm& form, std::vector<std::uint32_t>& slots);
void scale_operands(Emitter& out, const MatrixForm& form, std::vector<std::uint32_t>& slots);

}  // namespace warpmark::cpu
