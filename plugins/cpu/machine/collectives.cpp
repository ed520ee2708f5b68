// Warp operations whose lanes come from several places of a program.
//
// PTX ISA, shfl.sync, vote.sync, match.sync and redux.sync: a lane waits until all others of its
// mask "have executed" the instruction "with the same qualifiers and same membermask value": which
// one of the program does not matter, and an H200 completes those of two places as one.
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/block.hpp"

namespace warpmark::cpu {
namespace {

enum class Width : std::uint8_t { predicate, word, wide };

struct RegisterPlace {
  std::uint32_t slot = Instruction::kNone;
  Width width = Width::word;
};

std::array<RegisterPlace, 3> sources_of(const Instruction& i) {
  const bool vote = i.opcode >= Opcode::vote_all && i.opcode <= Opcode::vote_ballot;
  const bool wide = i.opcode == Opcode::match_any_64 || i.opcode == Opcode::match_all_64;
  return {RegisterPlace{i.a, vote   ? Width::predicate
                             : wide ? Width::wide
                                    : Width::word},
          RegisterPlace{i.b}, RegisterPlace{i.c}};
}

std::array<RegisterPlace, 2> results_of(const Instruction& i) {
  const bool truth = i.opcode >= Opcode::vote_all && i.opcode <= Opcode::vote_uni;
  return {RegisterPlace{i.d, truth ? Width::predicate : Width::word},
          RegisterPlace{i.predicate, Width::predicate}};
}

std::uint64_t read(const std::byte* registers, const RegisterPlace& from, std::uint32_t lane) {
  if (from.width == Width::predicate)
    return read_lane<std::uint32_t>(registers, from.slot, 0) >> lane & 1;
  if (from.width == Width::wide) return read_lane<std::uint64_t>(registers, from.slot, lane);
  return read_lane<std::uint32_t>(registers, from.slot, lane);
}

void write(std::byte* registers, const RegisterPlace& to, std::uint32_t lane, std::uint64_t value) {
  if (to.width == Width::predicate)
    write_predicate(registers, to.slot, 1u << lane, static_cast<std::uint32_t>(value) << lane);
  else if (to.width == Width::wide)
    write_lane<std::uint64_t>(registers, to.slot, lane, value);
  else
    write_lane<std::uint32_t>(registers, to.slot, lane, static_cast<std::uint32_t>(value));
}

// A register's bits in one lane, and which of them are undefined.
struct Value {
  std::uint64_t bits = 0;
  Definedness defined;
};
using Given = std::array<std::array<Value, 3>, 32>;  // by lane: what its instruction reads

template <typename Body>
void each_lane(std::uint32_t mask, Body body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

struct WarpRegisters {
  std::byte* registers;
  WarpDefinedness* definedness;  // null if no check asks

  [[nodiscard]] Value get(const RegisterPlace& from, std::uint32_t lane) const {
    if (from.slot == Instruction::kNone) return {};
    return {read(registers, from, lane),
            definedness == nullptr ? Definedness{} : definedness->get(from.slot, lane)};
  }
  void put(const RegisterPlace& to, std::uint32_t lane, const Value& value) {
    if (to.slot == Instruction::kNone) return;
    write(registers, to, lane, value.bits);
    if (definedness != nullptr) definedness->set(to.slot, lane, value.defined);
  }

  // Collects the source values of the lanes of `mask`.
  void collect(const Instruction& i, std::uint32_t mask, Given& given) const {
    each_lane(mask, [&](std::uint32_t lane) {
      for (std::size_t k = 0; k < 3; ++k) given.at(lane).at(k) = get(sources_of(i).at(k), lane);
      if (i.negated) given.at(lane)[0].bits ^= 1;
    });
  }
  // Writes the collected values to the source registers of an instruction, for the lanes of `mask`.
  void bring(const Instruction& i, std::uint32_t mask, const Given& given) {
    each_lane(mask, [&](std::uint32_t lane) {
      for (std::size_t k = 0; k < 3; ++k) {
        Value value = given.at(lane).at(k);
        if (k == 0 && i.negated) value.bits ^= 1;
        put(sources_of(i).at(k), lane, value);
      }
    });
  }

  // All that an instruction has to do with, of the lanes of `mask`.
  [[nodiscard]] std::vector<Value> save(const Instruction& i, std::uint32_t mask) const {
    std::vector<Value> saved;
    each_lane(mask, [&](std::uint32_t lane) {
      for (const RegisterPlace& one : sources_of(i)) saved.push_back(get(one, lane));
      for (const RegisterPlace& one : results_of(i)) saved.push_back(get(one, lane));
    });
    return saved;
  }
  void restore(const Instruction& i, std::uint32_t mask, const std::vector<Value>& saved) {
    auto next = saved.begin();
    each_lane(mask, [&](std::uint32_t lane) {
      for (const RegisterPlace& one : sources_of(i)) put(one, lane, *next++);
      for (const RegisterPlace& one : results_of(i)) put(one, lane, *next++);
    });
  }
};

}  // namespace

bool Barriers::same_operation(std::uint32_t node, std::uint32_t other) const {
  if (node == other) return true;
  const auto words = [&](std::uint32_t at) -> std::string_view {
    const BasicBlock& block = launch_.program.blocks[at];
    if (block.begin == block.end) return "";
    const Statement* statement =
        launch_.program.statement(launch_.program.code[block.begin].statement);
    if (statement == nullptr) return "";
    const InstructionFacts& facts = *statement->facts;
    return facts.family == Family::collective && facts.has(Modifier::sync) ? statement->opcode : "";
  };
  return !words(node).empty() && words(node) == words(other);
}

// Each place's instruction runs for all lanes, of which those of other places bring what theirs
// read, and keep nothing but their own results.
void Barriers::run_together(Warp& warp, const std::vector<Fragment>& places) {
  const auto operation = [&](const Fragment& place) -> const Instruction& {
    return launch_.program.code[launch_.program.blocks[place.node].begin];
  };
  Lanes& lanes = warp.lanes;
  WarpRegisters registers{lanes.registers, warp.definedness};
  Given given{};
  std::uint32_t all = 0;
  for (const Fragment& place : places) {
    all |= place.mask;
    registers.collect(operation(place), place.mask, given);
  }
  for (const Fragment& place : places) {
    const Instruction& i = operation(place);
    const std::uint32_t others = all & ~place.mask;
    const std::vector<Value> kept = registers.save(i, others);
    registers.bring(i, others, given);
    lanes.mask = all;
    const std::size_t full = all == 0xffffffff ? 1 : 0;
    block_.tell<&Check::execute>(lanes, i, all);
    (i.guard == Instruction::kNone ? i.run : i.inner)[full](lanes, i);
    registers.restore(i, others, kept);
  }
}

}  // namespace warpmark::cpu
