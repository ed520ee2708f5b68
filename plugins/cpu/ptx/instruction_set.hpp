// The instructions of PTX: each form of each instruction as the PTX ISA writes it, with its
// properties.
//
// instruction_forms.def is the one place that says which modifiers an instruction has, what it
// needs, which class it counts as and which decoder does it. An opcode is held against it once, and
// everything after that asks the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/types.hpp"

namespace warpmark::cpu {

/// Classes of instructions, by which launches count them.
enum class InstructionClass : std::uint8_t {
#define CLASS(name) of_##name,
#include "warpmark/counters.def"
  count,
  of_typed = count  ///< of a form only: by the type that it works on
};
inline constexpr std::size_t kClasses = static_cast<std::size_t>(InstructionClass::count);
/// One number for each class.
using ClassCounts = std::array<std::uint64_t, kClasses>;

/// The decoder of a form. `none`: the form is valid PTX, but not supported by this device; `control`:
/// it ends a basic block.
enum class Family : std::uint8_t {
  none,
#define FAMILY(name) name,
#include "ptx/families.def"
  control
};

/// The least a module must declare to have an instruction.
struct Needs {
  std::uint32_t architecture = 0;  ///< 80 for .target sm_80
  std::uint32_t version = 0;       ///< 83 for .version 8.3
  bool specific = false;           ///< with features of an architecture's own: sm_100a, sm_100f
};

/// One line of instruction_forms.def.
struct InstructionForm {
  std::string_view syntax;  ///< with its sets by name: see there
  Needs needs;
  std::uint8_t operands = 0;  ///< where that distinguishes forms; 0 elsewhere
  InstructionClass which = InstructionClass::of_other;
  Family family = Family::none;
};

/// The first words of opcodes, and modifiers: those that are asked for. `none` is any other.
enum class Mnemonic : std::uint8_t {
  none,
#define NAMED_MNEMONIC(identifier, spelling) identifier,
#include "ptx/opcode_words.def"
};
enum class Modifier : std::uint8_t {
  none,
#define NAMED_MODIFIER(identifier, spelling) identifier,
#include "ptx/opcode_words.def"
};
Mnemonic mnemonic_named(std::string_view word);
/// "L2::cache_hint"; "" of none.
std::string_view name_of(Modifier modifier);

/// The sets of modifiers in instruction_forms.def of which something asks for the one that is there.
enum class WordSet : std::uint8_t {
  none,
  bitwise,
  count,
  data,
  dim,
  evict2,
  extreme,
  matrices,
  operation,
  scope,
  sum,
  swap,
  vector
};

/// The properties of an opcode with all its modifiers, such as fma.rn.f32.
struct InstructionFacts {
  const InstructionForm* form = nullptr;  ///< that accepts it; null: PTX has no such instruction
  Family family = Family::none;           ///< the form's; without one that of its first word
  Needs needs;                            ///< of the form and of each word
  InstructionClass which = InstructionClass::of_other;

  Mnemonic mnemonic = Mnemonic::none;
  std::string_view name;                ///< the first word: fma
  std::vector<std::string_view> words;  ///< the modifiers as they stand, without dots
  std::vector<Modifier> modifiers;      ///< the same
  std::vector<WordSet> sets;            ///< of each word: the set that the form has in its place
  std::vector<Type> types;  ///< of registers or variables: the words that are some, in their order

  /// PTX has it, and this device does not.
  [[nodiscard]] bool is_unsupported() const { return form != nullptr && family == Family::none; }
  [[nodiscard]] bool has(Modifier modifier) const;
  [[nodiscard]] bool has(Type type) const;
  /// The modifier in the place of a set such as the scope; none if there is none, or one that
  /// opcode_words.def lacks.
  [[nodiscard]] Modifier of(WordSet set) const;
  /// The same of a set of types.
  [[nodiscard]] Type type(WordSet set) const;
  /// The numbers of its matrix shape, such as m16n8k16, of which the last may be missing; or zeros.
  [[nodiscard]] std::array<std::uint32_t, 3> shape() const;
  /// Its last type is of two numbers in one register: f16x2, u16x2, e4m3x2.
  [[nodiscard]] bool is_packed() const { return !words.empty() && words.back().ends_with("x2"); }
};

/// The words of an opcode, and nothing else of its facts: no types.
InstructionFacts words_of(std::string_view opcode);
/// Holds an opcode, with so many operands, against the forms. Linear in its length.
InstructionFacts facts_of(std::string_view opcode, std::size_t operands);

/// The facts of the opcodes of a module, each found once. The opcodes must outlive it; the facts
/// stay where they are, also when the table is moved.
class InstructionTable {
 public:
  const InstructionFacts& of(std::string_view opcode, std::size_t operands);

 private:
  struct Known {
    std::size_t operands;
    std::unique_ptr<InstructionFacts> facts;
  };
  std::unordered_map<std::string_view, std::vector<Known>> known_;
};

/// All forms, in the order of the file.
std::span<const InstructionForm> instruction_forms();

/// Why PTX has no such opcode: a word that there is not, or one that is missing, with the syntax
/// that the instruction has.
std::string what_is_wrong(std::string_view opcode);

}  // namespace warpmark::cpu
