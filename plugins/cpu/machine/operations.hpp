// The operations of opcodes.def as structs with one function: NAME_op::apply(values).
// Compiled once for each WARPMARK_ISA, under the rules of numerics.hpp.
#pragma once

#include "machine/approximate.hpp"
#include "machine/bit_fields.hpp"
#include "machine/small_floats.hpp"

namespace warpmark::cpu::WARPMARK_ISA {

#define UNARY(id, D, A, names, ...)                                         \
  struct id##_op {                                                          \
    WARPMARK_INLINE D apply([[maybe_unused]] A a) { return (__VA_ARGS__); } \
  };
#define BINARY(id, D, A, B, names, ...)                                                           \
  struct id##_op {                                                                                \
    WARPMARK_INLINE D apply([[maybe_unused]] A a, [[maybe_unused]] B b) { return (__VA_ARGS__); } \
  };
#define TERNARY(id, D, A, B, C, names, ...)                                           \
  struct id##_op {                                                                    \
    WARPMARK_INLINE D apply(A a, B b, [[maybe_unused]] C c) { return (__VA_ARGS__); } \
  };
#define COMPARE(id, A, name, ...)                                  \
  struct id##_op {                                                 \
    WARPMARK_INLINE bool apply(A a, A b) { return (__VA_ARGS__); } \
  };
#define SELECT(id, T, names)
#define MASK(id, operands, names, ...)                                                 \
  struct id##_op {                                                                     \
    WARPMARK_INLINE u32 apply(u32 a, [[maybe_unused]] u32 b) { return (__VA_ARGS__); } \
  };
#define QUATERNARY(id, D, A, B, C, E, names, ...)                         \
  struct id##_op {                                                        \
    WARPMARK_INLINE D apply(A a, B b, C c, E e) { return (__VA_ARGS__); } \
  };
#define CARRY(id, T, operands, reads, names, ...)                                        \
  struct id##_op {                                                                       \
    WARPMARK_INLINE T apply(T a, T b, [[maybe_unused]] T c, [[maybe_unused]] bool carry, \
                            bool& out) {                                                 \
      return (__VA_ARGS__);                                                              \
    }                                                                                    \
  };
#define ROUNDED_UNARY(id, D, A, base, mode, names)
#define ROUNDED_BINARY(id, D, A, B, base, mode, names)
#define ROUNDED_TERNARY(id, D, A, B, C, base, mode, names)
#include "program/opcodes.def"

}  // namespace warpmark::cpu::WARPMARK_ISA
