// The table from PTX names to operations.
#include "program/opcode.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpmark::cpu {
namespace {

constexpr Type u8 = Type::u8, s8 = Type::s8, u16 = Type::u16, s16 = Type::s16, b16 = Type::b16,
               u32 = Type::u32, s32 = Type::s32, b32 = Type::b32, f32 = Type::f32, u64 = Type::u64,
               s64 = Type::s64, b64 = Type::b64, f64 = Type::f64, f16 = Type::f16,
               bf16 = Type::bf16, f16x2 = Type::f16x2, bf16x2 = Type::bf16x2, b128 = Type::b128,
               p = Type::pred, no = Type::none;

constexpr OpcodeInfo kOpcodes[] = {
#define UNARY(id, D, A, names, ...) {Opcode::id, Form::unary, D, A, no, no, no, names},
#define BINARY(id, D, A, B, names, ...) {Opcode::id, Form::binary, D, A, B, no, no, names},
#define TERNARY(id, D, A, B, C, names, ...) {Opcode::id, Form::ternary, D, A, B, C, no, names},
#define COMPARE(id, A, name, ...) {Opcode::id, Form::compare, p, A, A, p, no, name},
#define SELECT(id, T, names) {Opcode::id, Form::select, T, T, T, p, no, names},
#define MASK(id, operands, names, ...) \
  {Opcode::id, operands == 1 ? Form::mask1 : Form::mask2, p, p, p, no, no, names},
#define QUATERNARY(id, D, A, B, C, E, names, ...) \
  {Opcode::id, Form::quaternary, D, A, B, C, E, names},
#define CARRY(id, T, operands, reads, names, ...) \
  {Opcode::id, operands == 2 ? Form::carry2 : Form::carry3, T, T, T, T, reads ? p : no, names},
#define ROUNDED_UNARY(id, D, A, base, mode, names) \
  {Opcode::id, Form::unary, D, A, no, no, no, names},
#define ROUNDED_BINARY(id, D, A, B, base, mode, names) \
  {Opcode::id, Form::binary, D, A, B, no, no, names},
#define ROUNDED_TERNARY(id, D, A, B, C, base, mode, names) \
  {Opcode::id, Form::ternary, D, A, B, C, no, names},
#include "program/opcodes.def"
#define ATOMIC(id, T, names, ...) {Opcode::id, Form::atomic, T, T, T, T, no, names},
#define WIDE_ATOMIC(id, T, names, ...) {Opcode::id, Form::wide_atomic, T, T, T, T, no, names},
#include "program/atomics.def"
};

using Table = std::unordered_map<std::string_view, const OpcodeInfo*>;

// A name with its modifiers sorted, types last in their own order.
std::string sorted(const InstructionFacts& facts) {
  std::vector<std::string_view> words = facts.words;
  const auto types = std::stable_partition(words.begin(), words.end(), [](std::string_view word) {
    return type_named(word) == Type::none;
  });
  std::sort(words.begin(), types);
  std::string result(facts.name);
  for (const std::string_view word : words) (result += '.') += word;
  return result;
}

Table make_table() {
  Table table;
  for (const OpcodeInfo& info : kOpcodes) {
    std::string_view names = info.names;
    while (!names.empty()) {
      const std::size_t blank = std::min(names.find(' '), names.size());
      table.emplace(names.substr(0, blank), &info);
      names.remove_prefix(std::min(blank + 1, names.size()));
    }
  }
  return table;
}

}  // namespace

const OpcodeInfo* find_opcode(Opcode opcode) {
  static const std::vector<const OpcodeInfo*> table = [] {
    std::vector<const OpcodeInfo*> by_opcode(static_cast<std::size_t>(Opcode::count));
    for (const OpcodeInfo& info : kOpcodes)
      by_opcode[static_cast<std::size_t>(info.opcode)] = &info;
    return by_opcode;
  }();
  return table[static_cast<std::size_t>(opcode)];
}

const OpcodeInfo* find_opcode(std::string_view name) {
  static const Table table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

const InstructionFacts& words_of(const OpcodeInfo& info) {
  static const std::vector<InstructionFacts> table = [] {
    std::vector<InstructionFacts> by_opcode(static_cast<std::size_t>(Opcode::count));
    for (const OpcodeInfo& one : kOpcodes)
      by_opcode[static_cast<std::size_t>(one.opcode)] =
          words_of(one.names.substr(0, one.names.find(' ')));
    return by_opcode;
  }();
  return table[static_cast<std::size_t>(info.opcode)];
}

const OpcodeInfo* find_atomic(Modifier operation, Type type, bool vector, bool noftz) {
  const bool small = noftz || type == f16 || type == f16x2 || type == bf16 || type == bf16x2;
  return find_opcode(std::string(vector ? "atom.vector." : "atom.") +
                     std::string(name_of(operation)) + (small ? ".noftz." : ".") +
                     std::string(name_of(type)));
}

const OpcodeInfo* find_in_any_order(std::string_view name) {
  if (const OpcodeInfo* exact = find_opcode(name); exact != nullptr) return exact;
  static const auto table = [] {
    std::unordered_map<std::string, const OpcodeInfo*> all;
    for (const auto& [known, info] : make_table()) all.emplace(sorted(words_of(known)), info);
    return all;
  }();
  const auto found = table.find(sorted(words_of(name)));
  return found == table.end() ? nullptr : found->second;
}

}  // namespace warpmark::cpu
