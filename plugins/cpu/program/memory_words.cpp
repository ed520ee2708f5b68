#include "program/memory_words.hpp"

#include "program/program.hpp"

namespace warpmark::cpu {
Space space_of(const InstructionFacts& facts) {
  for (const std::string_view word : facts.words) {
    if (word == "global") return Space::global;
    if (word.starts_with("shared")) return Space::shared;
    if (word.starts_with("param")) return Space::param;
    if (word == "local") return Space::local;
    if (word == "const") return Space::constant;
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
  if (facts.word("scope") == "cta") words.order |= Instruction::kBlockScope;
  return words;
}

std::uint32_t loaded_bytes(const Statement& statement) {
  if (!statement.opcode.starts_with("ld.") && !statement.opcode.starts_with("ldu.")) return 0;
  const MemoryWords words = memory_words(*statement.facts);
  return bytes_of(words.type) * words.count;
}

}  // namespace warpmark::cpu
