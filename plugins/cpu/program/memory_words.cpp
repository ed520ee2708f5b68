#include "program/memory_words.hpp"

#include <utility>

#include "program/program.hpp"

namespace warpmark::cpu {
Space space_of(const InstructionFacts& facts) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::global},          {"shared", Space::shared}, {"shared::cta", Space::shared},
      {"shared::cluster", Space::shared}, {"param", Space::param},   {"param::entry", Space::param},
      {"param::func", Space::param},      {"local", Space::local},   {"const", Space::constant}};
  for (const std::string_view word : facts.words) {
    for (const auto& [name, space] : kSpaces)
      if (word == name) return space;
  }
  return Space::generic;
}

MemoryWords memory_words(const InstructionFacts& facts) {
  MemoryWords words;
  words.space = space_of(facts);
  words.type = type_named(facts.word("data"));
  const std::string_view vector = facts.word("vector");
  if (!vector.empty()) words.count = static_cast<std::uint32_t>(vector[1] - '0');
  words.hint = facts.has("L2::cache_hint");
  const bool isvolatile = facts.has("volatile");
  const bool strong =
      isvolatile || facts.has("relaxed") || facts.has("acquire") || facts.has("release");
  words.polls = strong || facts.has("cv");
  if (strong) words.order |= Instruction::kStrong;
  if (isvolatile && words.space != Space::global) words.order |= Instruction::kVolatile;
  if (facts.has("nc")) words.order |= Instruction::kReadOnly;
  if (facts.has("release")) words.order |= Instruction::kRelease;
  if (facts.has("acquire")) words.order |= Instruction::kAcquire;
  words.past_l1 = facts.has("cg") || facts.has("cv");
  words.cluster_scope = facts.word("scope") == "cluster";
  if (facts.word("scope") == "cta") words.order |= Instruction::kBlockScope;
  return words;
}

std::string_view atomic_operation(const InstructionFacts& facts) {
  for (const std::string_view set : {"bitwise", "swap", "sum", "count", "extreme"}) {
    if (const std::string_view word = facts.word(set); !word.empty()) return word;
  }
  return "";
}

std::uint32_t loaded_bytes(const Statement& statement) {
  if (statement.facts->mnemonic != "ld" && statement.facts->mnemonic != "ldu") return 0;
  const MemoryWords words = memory_words(*statement.facts);
  return bytes_of(words.type) * words.count;
}

}  // namespace warpmark::cpu
