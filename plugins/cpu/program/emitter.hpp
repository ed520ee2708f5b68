// The code of one function as its statements are decoded; private to program/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.hpp"
#include "ptx/error.hpp"
#include "ptx/instruction_set.hpp"

namespace warpmark::cpu {

/// A variable's place in its space, and its number among Program::objects, if it has one.
struct PlacedVariable {
  Space space = Space::local;
  std::uint64_t offset = 0;
  std::uint32_t object = 0;
  bool parameter = false;  ///< declared as .param; functions' parameters lie in local memory
};
using PlacedVariables = std::unordered_map<std::string_view, PlacedVariable>;

/// The state that the emitters of a kernel and of the functions that it calls share.
struct Decoding {
  Decoding(const Module& the_module, const Placement& the_placement)
      : module(the_module), placement(the_placement) {}

  const Module& module;
  const Placement& placement;
  Program program;
  std::unordered_map<std::uint64_t, std::uint32_t> narrow_constants, wide_constants;
  std::unordered_map<int, std::uint32_t> specials;
  /// Registers of the module, by name and element.
  std::map<std::pair<std::string_view, std::uint8_t>, std::uint32_t> module_registers;
  PlacedVariables shared;                                       ///< the module's variables
  std::unordered_map<std::string_view, std::uint32_t> globals;  ///< objects of .global variables
  /// Slots of addresses, by object, address and width.
  std::map<std::tuple<std::uint32_t, std::uint64_t, bool>, std::uint32_t> addresses;
  std::uint32_t dynamic_object = 0;
  std::uint64_t shared_bytes = 0, dynamic_alignment = 16;
  std::uint32_t carry = Instruction::kNone;  ///< slot of the carry flag, if one is used
  std::uint32_t stack = Instruction::kNone;  ///< slot of the top of alloca's stack, if one is used
  std::uint32_t stack_end = 0;               ///< offset into local memory
  std::uint32_t statements = 0;
  /// The first statement that is valid PTX but not supported by this device. The rest is still
  /// checked, as an error there is an error for every device.
  std::optional<PtxError> unsupported;
  bool of_kernel = true;         ///< false for functions that no kernel calls
  std::vector<bool> convergent;  ///< callees that have a barrier, or call a function that has one
};

/// Bytes of a 64-bit register's slot; a 128-bit register is two of them.
inline constexpr std::uint32_t kWideSlot = 256;

/// Two numbers in one register.
bool is_pair(Type type);
/// The type of so many bytes without a meaning.
Type bits_type(std::uint32_t bytes);
/// Returns whether the operand is a number of the given type.
bool is_constant(const Operand& operand, Type type);
/// A floating-point constant in the width of its operand.
std::uint64_t real_bits(const Operand& operand, std::uint32_t bytes);

/// Turns operands of a function's statements into slots, and appends instructions to the program.
/// Operands, instructions and errors are those of the statement that at() named last.
class Emitter {
 public:
  /// `number` is the function's among Program::callees, or kNone for the kernel.
  Emitter(Decoding& decoding, const Function& of, std::uint32_t number);

  Decoding& shared;
  const Module& module;
  const Function& function;
  const Placement& placement;
  Program& program;
  const std::uint32_t callee;
  const std::uint32_t first_statement;    ///< the number of the function's first one in the program
  PlacedVariables variables;              ///< shared, local, param
  std::vector<std::string_view> dynamic;  ///< shared variables of the launch's size
  std::uint64_t frame_bytes = 0;          ///< bytes of local memory placed so far
  std::uint32_t stack_before = Instruction::kNone;  ///< of a function that uses alloca
  bool polls = false;                               ///< the block that is being decoded polls
  bool polls_block = false;  ///< it polls memory that only its own thread block can change

  [[nodiscard]] bool in_kernel() const { return callee == Instruction::kNone; }

  // --- the statement
  void at(const Statement& statement);
  [[nodiscard]] const Statement& statement() const { return *statement_; }
  [[nodiscard]] const InstructionFacts& facts() const { return *statement_->facts; }
  [[nodiscard]] std::size_t operands() const { return statement_->operands; }
  [[nodiscard]] const Operand& operand(std::size_t index) const;
  /// An element of a vector or pair, or the base of an address.
  [[nodiscard]] const Operand& part(const Operand& whole, std::size_t index) const {
    return function.operands[whole.index + index];
  }
  /// The type of an operand that is a register.
  [[nodiscard]] Type type_of(const Operand& reg) const {
    return function.registers[reg.index].type;
  }
  /// How often statements name the register other than as an atomic's result.
  [[nodiscard]] std::uint32_t reads_of(std::uint32_t reg);
  /// The statement's number in the program.
  [[nodiscard]] std::uint32_t place() const;

  // --- errors
  /// Throws for a form of an instruction that is valid PTX but not supported by this device.
  [[noreturn]] void refuse(const std::string& why) const;
  /// Throws for an opcode that this device does not support, or that PTX does not have.
  [[noreturn]] void refuse_opcode() const;
  [[noreturn]] void invalid(const std::string& why) const;
  /// Keeps in Decoding::unsupported that this device does not support a statement.
  void keep_unsupported(const PtxError& error);
  void check_target() const;
  void expect_operands(std::size_t least, std::size_t most) const;
  void expect_operands(std::size_t count) const { expect_operands(count, count); }
  void check_is_register(std::size_t index) const;
  void check_register(const Operand& operand, Type type, bool wider) const;
  /// The elements of { … } are of one class, but for bits, which go with every other one. That class
  /// is the operand's, or with `alone` bits only. `type` has the size of an element.
  void check_vector(const Operand& list, Type type, bool alone = false) const;
  /// Special registers are operands of mov, of cvt between integers, and elements of a vector that
  /// is stored.
  void check_special(std::string_view name) const;

  // --- slots
  std::uint32_t allocate(bool wide);
  /// A register for a value that does not outlive the statement.
  std::uint32_t temporary(bool wide);
  std::uint32_t constant(std::uint64_t value, bool wide);
  std::uint32_t special(Special which);
  std::uint32_t register_slot(std::uint32_t reg);
  /// A number among Program::objects.
  std::uint32_t object(const Object& object);
  std::uint32_t global_object(std::string_view name, std::uint64_t address);
  /// The address of an object, or one at a distance from it.
  std::uint32_t address_of(std::uint32_t object, std::uint64_t address, bool wide);
  /// The register that holds the local address `offset` bytes into the frame.
  std::uint32_t frame_address(std::uint64_t offset);
  /// Where the window of a space begins; a function's parameters lie in its frame.
  [[nodiscard]] std::uint64_t window_of(Space space) const;
  /// Where the module's variable lies, or 0 if there is none of this name.
  [[nodiscard]] std::uint64_t variable_address(std::string_view name) const;

  // --- operands as slots
  std::uint32_t source(const Operand& operand, Type type);
  std::uint32_t source(std::size_t index, Type type) { return source(operand(index), type); }
  std::uint32_t destination(const Operand& operand, Type type);
  std::uint32_t destination(std::size_t index, Type type) {
    return destination(operand(index), type);
  }
  /// The same of a 32-bit result that may be `_`.
  std::uint32_t result(const Operand& operand, Type type) {
    return operand.kind == OperandKind::sink ? allocate(false) : destination(operand, type);
  }
  std::uint32_t predicate(const Operand& operand);
  /// The value of a special register, or the address of a variable or function.
  std::uint32_t named(const Operand& operand, Type type);
  /// The slot of a special register. Read as 16 bits one gives its low half, which is how lanes are
  /// stored.
  std::uint32_t special_value(const SpecialRegister& named, Type type);

  // --- instructions
  /// The number of the next one.
  [[nodiscard]] std::uint32_t code_end() const {
    return static_cast<std::uint32_t>(program.code.size());
  }
  void emit(Instruction instruction);
  void emit(Opcode opcode, std::uint32_t d, std::uint32_t a, std::uint32_t b = Instruction::kNone,
            std::uint32_t c = Instruction::kNone);
  /// The same, whatever the statement's guard.
  void emit_unguarded(Instruction instruction);
  /// Extends the result of a conversion whose register is wider than its type.
  void finish_widening();
  /// Appends slots to Program::operands. Returns the value for Instruction::more.
  std::uint32_t more(const std::vector<std::uint32_t>& slots);

  /// To be called last.
  FunctionPlaces take_places();

 private:
  std::uint32_t new_slot(const Register& one);
  std::uint32_t clock_value(const SpecialRegister& named, Type type);
  std::uint32_t block_memory();
  [[nodiscard]] std::uint64_t function_address(std::string_view name) const;
  [[nodiscard]] std::string message(const std::string& why) const;

  const Statement* statement_ = nullptr;
  std::vector<std::uint32_t> reads_;    ///< by register, made on first use
  std::vector<std::uint32_t> slot_of_;  ///< by register
  struct {
    std::uint32_t wide = Instruction::kNone, narrow = 0;
    bool sign = false;
  } widen_;  ///< a result whose register is wider than the conversion's type
  /// Registers, of 32 and of 64 bits, for values that do not outlive a statement.
  struct {
    std::array<std::vector<std::uint32_t>, 2> slots;
    std::array<std::uint32_t, 2> used{};  ///< number used by this statement
  } scratch_;
};

}  // namespace warpmark::cpu
