// PTX ISA, "Rounding Modifiers", "Subnormal Handling" and the notes of each instruction; what ptxas
// 13.0 makes of such texts for sm_90 was read in its machine code.
#include "ptx/old_spellings.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "ptx/instruction_set.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kModifiers = 14;  // .version 1.4: .approx, .full and roundings are said
constexpr std::uint32_t kFlushedCasts =
    15;                                    // cvt between binary32 and binary64 flushes from here on
constexpr std::uint32_t kSubnormals = 20;  // .target sm_20 has those of binary32

// The modifier that an instruction without one has.
struct Default {
  Mnemonic mnemonic;
  Type type;
  std::string_view word;
};
constexpr Default kDefaults[] = {
    {Mnemonic::div, Type::f32, "approx"},   {Mnemonic::div, Type::f64, "rn"},
    {Mnemonic::sqrt, Type::f32, "approx"},  {Mnemonic::sqrt, Type::f64, "rn"},
    {Mnemonic::rcp, Type::f32, "approx"},   {Mnemonic::rsqrt, Type::f32, "approx"},
    {Mnemonic::rsqrt, Type::f64, "approx"}, {Mnemonic::sin, Type::f32, "approx"},
    {Mnemonic::cos, Type::f32, "approx"},   {Mnemonic::lg2, Type::f32, "approx"},
    {Mnemonic::ex2, Type::f32, "approx"},   {Mnemonic::mad, Type::f64, "rn"}};

std::string joined(const InstructionFacts& facts, std::string_view word) {
  std::string text(facts.name);
  bool there = false;
  const auto add = [&](std::string_view one) {
    text += '.';
    text += one;
  };
  for (const std::string_view one : facts.words) {
    if (!there && type_named(one) != Type::none) {
      add(word);
      there = true;
    }
    add(one);
  }
  return text;
}

// The opcode with another word before its types, if there is such an instruction; else itself.
std::string with(const std::string& opcode, std::string_view word, std::size_t operands) {
  std::string longer = joined(words_of(opcode), word);
  return facts_of(longer, operands).form != nullptr ? longer : opcode;
}

std::string spelled(const Module& module, std::string_view opcode, std::size_t operands) {
  std::string text(opcode);
  const InstructionFacts facts = facts_of(opcode, operands);
  const bool old_target = module.architecture < kSubnormals;
  if (facts.form == nullptr) {
    const Type type = facts.words.empty() ? Type::none : type_named(facts.words.back());
    if (old_target && facts.mnemonic == Mnemonic::mad && type == Type::f32)
      text = with(text, "rn", operands);
    const auto* const known = std::ranges::find_if(kDefaults, [&](const Default& one) {
      return one.mnemonic == facts.mnemonic && one.type == type;
    });
    if (known != std::end(kDefaults) && module.version < kModifiers)
      text = with(text, known->word, operands);
  }
  const bool casts = facts.mnemonic == Mnemonic::cvt && facts.has(Type::f64);
  if (!old_target || (casts && module.version < kFlushedCasts) || facts.has(Modifier::ftz))
    return text;
  const std::vector<Type> types = facts.types;
  const bool of_singles = !types.empty() && types.back() == Type::f32;
  const bool to_singles = facts.mnemonic == Mnemonic::cvt && facts.has(Type::f32);
  return of_singles || to_singles ? with(text, "ftz", operands) : text;
}

}  // namespace

std::string_view later_spelling(Module& module, std::string_view opcode, std::size_t operands) {
  if (module.architecture >= kSubnormals && module.version >= kModifiers) return opcode;
  const auto [known, fresh] = module.spellings.emplace(opcode, nullptr);
  if (fresh) known->second = std::make_unique<std::string>(spelled(module, opcode, operands));
  return *known->second;
}

}  // namespace warpmark::cpu
