// Names for code that is compiled once for each instruction-set level (WARPMARK_ISA names the
// namespace). Nothing of it may be shared between translation units: no std:: functions, everything
// inline in the namespace.
#pragma once

#include <cstdint>

namespace warpmark::cpu::WARPMARK_ISA {

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
using b16 = u16;
using b32 = u32;
using b64 = u64;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

#define WARPMARK_INLINE [[gnu::always_inline]] static inline
// Before a loop over lanes, whose steps do not depend on each other. Clang reads it as an error.
#if defined(__clang__)
#define WARPMARK_NO_DEPENDENCES
#else
#define WARPMARK_NO_DEPENDENCES _Pragma("GCC ivdep")
#endif

}  // namespace warpmark::cpu::WARPMARK_ISA
