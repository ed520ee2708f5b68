// A parsed PTX text: names are resolved to registers, nothing is executed yet.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/instruction_set.hpp"
#include "ptx/types.hpp"

namespace warpmark::cpu {

enum class Space : std::uint8_t { generic, global, shared, local, param, constant, reg };

/// One used register. Registers that are declared and never used cost nothing, so a hostile
/// `.reg .b32 %r<1000000000>` is harmless.
struct Register {
  std::string_view name;
  Type type = Type::none;
  bool of_module = false;    ///< declared outside of functions, which share it
  std::uint8_t element = 0;  ///< of a vector
};

enum class OperandKind : std::uint8_t {
  reg,      ///< index is a register of the function
  part,     ///< %r1.b2, a part of a register: index, and the text with its selector
  integer,  ///< value
  real,     ///< value holds bits; single as in Token
  name,     ///< text: a special register, variable, parameter, label or function
  vector,   ///< index and count: further operands of the function
  address,  ///< [base + value]; index is an operand of the function, or kNone for an absolute one
  label,    ///< index: statement of the function that the label stands before
  pair,     ///< p|q: index and count as of a vector
  sink      ///< _
};

struct Operand {
  static constexpr std::uint32_t kNone = 0xffffffff;
  OperandKind kind = OperandKind::sink;
  bool negated : 1 = false;  ///< !p of a predicate
  bool minus : 1 = false;    ///< -%r1 of vmad
  bool single = false;
  /// Elements of a vector; of an address with coordinates, how far behind its base they stand.
  std::uint8_t count = 0;
  std::uint32_t index = kNone;
  std::int64_t value = 0;
  std::string_view text;
};

/// A place in the source, from .loc. File 0 means that none is known.
struct Location {
  std::uint32_t file = 0, line = 0, column = 0;
  std::uint32_t inlined = 0;  ///< Module::inlined[inlined - 1]; 0: not inlined
  bool merged = false;        ///< code of several lines; `line` is one of them, or near
};

/// A call that the compiler put the callee's code in the place of.
struct InlinedCall {
  std::string_view function;  ///< label of the callee's name in Module::debug_strings
  Location call;              ///< may be inlined in turn, by an earlier InlinedCall
  std::string name;           ///< the callee's, where debug sections have it and no label
};

struct Statement {
  std::string_view opcode;                  ///< with all modifiers: ld.global.nc.v4.f32
  const InstructionFacts* facts = nullptr;  ///< of the opcode; in the module's InstructionTable
  std::string_view text;                    ///< the whole instruction as it stands in the PTX text
  std::uint32_t guard = Operand::kNone;     ///< register of @p
  bool guard_negated = false;
  std::uint8_t operands = 0;
  std::uint32_t first_operand = 0;
  std::uint32_t line = 0;  ///< of the PTX text
  Location location;
};

/// The visibility of a symbol: other modules can use .visible and .weak symbols, other modules
/// define .extern symbols, and all others are local to their module.
enum class Linkage : std::uint8_t { local, visible, weak, external };

/// A variable of any memory space. Bytes that the initialiser leaves out are zero.
struct Variable {
  /// Bytes [offset, offset + bytes) hold the address of a symbol, or a part of it: that from bit
  /// `shift` on.
  struct Reference {
    std::uint64_t offset = 0;
    std::string_view symbol;
    std::int64_t addend = 0;
    std::uint32_t bytes = 8, shift = 0;
  };
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;
  Linkage linkage = Linkage::local;
  bool image = false;     ///< .texref or .surfref
  bool surface = false;   ///< .surfref
  bool managed = false;   ///< .attribute(.managed): the host has the same address
  bool external = false;  ///< .extern; of shared memory: its size comes with the launch
  std::vector<std::uint8_t> initial;
  std::vector<Reference> references;
  std::uint32_t line = 0;
};

struct Parameter {
  std::string_view name;
  Type type = Type::none;
  std::uint32_t bytes = 0, alignment = 1;
  std::uint32_t offset = 0;   ///< in the packed parameter buffer
  bool in_register = false;   ///< declared as .reg; passed in memory all the same
  std::uint8_t elements = 1;  ///< of a vector register
};

/// Labels among a function's operands: what brx.idx branches to.
struct BranchTable {
  std::uint32_t first_operand = 0, labels = 0;
};

struct Function {
  std::string_view name;
  bool entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::local;
  std::uint32_t line = 0;
  std::uint32_t parameter_bytes = 0;
  std::array<std::uint32_t, 3> cluster{};  ///< .reqnctapercluster; 0 = not given
  std::uint32_t max_threads = 0;           ///< product of .maxntid or .reqntid; 0 = not given
  std::array<std::uint32_t, 3> threads{};  ///< .reqntid; 0 = not given
  std::optional<std::uint32_t> block_memory = std::nullopt;  ///< .minperctamemory, in bytes
  bool counts_clusters = false;  ///< .blocksareclusters: a grid is given in clusters
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;  ///< of a .func; their offsets count from 0
  std::uint32_t result_bytes = 0;
  std::vector<Register> registers;
  std::vector<Statement> statements;
  std::vector<Operand> operands;
  std::vector<Variable> variables;  ///< .shared, .local and .param inside the body
  std::unordered_map<std::string_view, BranchTable> branch_tables;

  [[nodiscard]] std::span<const Operand> operands_of(const Statement& statement) const {
    return std::span(operands).subspan(statement.first_operand, statement.operands);
  }
  /// The elements of a vector, or of any operand that was read tolerantly.
  [[nodiscard]] std::span<const Operand> elements_of(const Operand& operand) const {
    return std::span(operands).subspan(operand.count == 0 ? 0 : operand.index, operand.count);
  }
};

struct Module {
  std::unique_ptr<std::string> text;  ///< every view points into it; the address must not change
  std::uint32_t version = 0;          ///< 90 for .version 9.0
  std::string_view target;
  std::uint32_t architecture = 0;  ///< 90 for sm_90 and sm_90a
  bool specific = false;           ///< sm_90a or sm_100f: with features of an architecture's own
  bool debug = false;              ///< compiled with -G
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::unordered_map<std::uint32_t, std::string_view> files;  ///< by .file number
  /// Opcodes as later versions spell them, by how an old text has them (ptx/old_spellings.hpp), and
  /// those whose modifiers stand apart, put together.
  std::unordered_map<std::string_view, std::unique_ptr<std::string>> spellings;
  InstructionTable instructions;
  std::vector<InlinedCall> inlined;
  std::vector<std::string_view> debug_strings;  ///< the insides of .debug_str sections, as text
  std::unordered_map<std::string_view, std::uint32_t> function_by_name, variable_by_name;
  /// The first thing that a tolerant reading did not understand: "line 7: something unknown".
  std::string trouble;
};

}  // namespace warpmark::cpu
