// Names of what the instructions of a launch add up to, and what each instruction adds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

enum class Counter : std::uint8_t {
#define COUNTER(name, unit) name,
#define BASIC_KIND(kind, ...) kind##_bytes, kind##_requests,
#include "warpmark/counters.def"
  count,
  none = count  ///< of an instruction that adds to nothing
};

/// One number for each counter.
using Counters = std::array<std::uint64_t, static_cast<std::size_t>(Counter::count)>;

inline void add(Counters& to, const Counters& counters) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += counters[i];
}

/// As in the JSON of a launch, by Counter.
inline constexpr std::string_view kCounterNames[] = {
#define COUNTER(name, unit) #name,
// Two texts make a name. NOLINTNEXTLINE(bugprone-suspicious-missing-comma)
#define BASIC_KIND(kind, ...) #kind "_bytes", #kind "_requests",
#include "warpmark/counters.def"
};

/// The counter behind one of bytes: its requests.
constexpr Counter requests_of(Counter bytes) {
  return static_cast<Counter>(static_cast<std::uint8_t>(bytes) + 1);
}

enum class Traffic : std::uint8_t { load, store, atomic };

/// The bytes of accesses to a space; none for parameters, which are no memory that a kernel moves
/// data through, and for generic accesses, whose space each execution finds out.
constexpr Counter bytes_counter(Space space, Traffic traffic) {
  const auto choose = [traffic](Counter load, Counter store, Counter atomic) {
    return traffic == Traffic::load ? load : traffic == Traffic::store ? store : atomic;
  };
  switch (space) {
    case Space::global:
      return choose(Counter::global_load_bytes, Counter::global_store_bytes,
                    Counter::global_atomic_bytes);
    case Space::shared:
      return choose(Counter::shared_load_bytes, Counter::shared_store_bytes,
                    Counter::shared_atomic_bytes);
    case Space::local:
      return choose(Counter::local_load_bytes, Counter::local_store_bytes, Counter::none);
    case Space::constant:
      return choose(Counter::constant_load_bytes, Counter::none, Counter::none);
    default:
      return Counter::none;
  }
}

/// Floating-point operations of one lane that executes the instruction of these words: 1 for add,
/// sub and mul, 2 for fma and mad, twice that for pairs of 16-bit numbers; 0 for everything else,
/// as ncu's metrics of fadd, fmul and ffma count.
inline std::uint8_t flops_of(const InstructionFacts& facts) {
  const Type type = facts.types.empty() ? Type::none : facts.types.back();
  const bool pair = type == Type::f16x2 || type == Type::bf16x2;
  if (!pair && type != Type::f16 && type != Type::bf16 && type != Type::f32 && type != Type::f64)
    return 0;
  const Mnemonic operation = facts.mnemonic;
  const bool fused = operation == Mnemonic::fma || operation == Mnemonic::mad;
  if (!fused && operation != Mnemonic::add && operation != Mnemonic::sub &&
      operation != Mnemonic::mul)
    return 0;
  return static_cast<std::uint8_t>((fused ? 2 : 1) * (pair ? 2 : 1));
}

}  // namespace warpmark::cpu
