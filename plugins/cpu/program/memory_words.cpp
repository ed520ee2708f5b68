#include "program/memory_words.hpp"

#include <utility>

#include "program/program.hpp"

namespace warpmark::cpu {
Space space_of(const InstructionFacts& facts) {
  for (const Modifier one : facts.modifiers) {
    switch (one) {
      case Modifier::global:
        return Space::global;
      case Modifier::shared:
      case Modifier::shared_cta:
      case Modifier::shared_cluster:
        return Space::shared;
      case Modifier::param:
      case Modifier::param_entry:
      case Modifier::param_func:
        return Space::param;
      case Modifier::local:
        return Space::local;
      case Modifier::const_:
        return Space::constant;
      default:
        break;
    }
  }
  return Space::generic;
}

std::uint32_t vector_elements(const InstructionFacts& facts) {
  switch (facts.of(WordSet::vector)) {
    case Modifier::v2:
      return 2;
    case Modifier::v4:
      return 4;
    case Modifier::v8:
      return 8;
    default:
      return 1;
  }
}

MemoryWords memory_words(const InstructionFacts& facts) {
  MemoryWords words;
  words.space = space_of(facts);
  words.type = facts.type(WordSet::data);
  words.count = vector_elements(facts);
  words.hint = facts.has(Modifier::L2_cache_hint);
  const bool isvolatile = facts.has(Modifier::volatile_);
  const bool strong = isvolatile || facts.has(Modifier::relaxed) || facts.has(Modifier::acquire) ||
                      facts.has(Modifier::release);
  words.polls = strong || facts.has(Modifier::cv);
  if (strong) words.order |= Instruction::kStrong;
  if (isvolatile && words.space != Space::global) words.order |= Instruction::kVolatile;
  if (facts.has(Modifier::nc) || facts.has(Modifier::proxy_readonly))
    words.order |= Instruction::kReadOnly;
  if (facts.has(Modifier::release)) words.order |= Instruction::kRelease;
  if (facts.has(Modifier::acquire)) words.order |= Instruction::kAcquire;
  words.past_l1 = facts.has(Modifier::cg) || facts.has(Modifier::cv);
  words.cluster_scope = facts.of(WordSet::scope) == Modifier::cluster;
  if (facts.of(WordSet::scope) == Modifier::cta) words.order |= Instruction::kBlockScope;
  return words;
}

Modifier atomic_operation(const InstructionFacts& facts) {
  for (const WordSet set :
       {WordSet::bitwise, WordSet::swap, WordSet::sum, WordSet::count, WordSet::extreme}) {
    if (const Modifier word = facts.of(set); word != Modifier::none) return word;
  }
  return Modifier::none;
}

std::uint32_t loaded_bytes(const Statement& statement) {
  if (statement.facts->mnemonic != Mnemonic::ld && statement.facts->mnemonic != Mnemonic::ldu)
    return 0;
  const MemoryWords words = memory_words(*statement.facts);
  return bytes_of(words.type) * words.count;
}

}  // namespace warpmark::cpu
