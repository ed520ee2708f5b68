// Which bits of memory have values.
#pragma once

#include <cstdint>

#include "inspect/definedness.hpp"
#include "memory/sparse_bytes.hpp"

namespace warpmark::cpu {

/// Definedness::origin of undefined bytes of a memory.
using Origins = SparseBytes<std::uint32_t, 0>;

/// Bytes of a memory from an address on, which may have values or not.
struct ByteValues {
  std::uint8_t* bits = nullptr;      ///< as init_bits.hpp has them; null if all bytes have values
  std::uint64_t from = 0, size = 0;  ///< the bit of the first byte; bits that there are
  PartialBytes* partial = nullptr;   ///< null: bytes are defined or undefined as a whole
  std::uint64_t key = 0;             ///< of the first byte in `partial`, and in `origins`
  Origins* origins = nullptr;        ///< null: nobody remembers
  bool shared = false;               ///< other threads may set other bits of the same bytes

  /// Whether the first `bytes` bytes have values.
  [[nodiscard]] bool defined(std::uint64_t bytes) const;
  /// Those `by` bytes behind these.
  [[nodiscard]] ByteValues behind(std::uint64_t by) const;
  /// What is undefined of `bytes` bytes, at most 8, `at` bytes on.
  [[nodiscard]] std::uint64_t undefined_bits(std::uint64_t at, std::uint32_t bytes) const;
  /// The same with its origin, of what a statement reads from `space`.
  [[nodiscard]] Definedness read(std::uint64_t at, std::uint32_t bytes, Space space,
                                 std::uint32_t statement) const;
  /// They become what a register is.
  void write(std::uint64_t at, std::uint32_t bytes, const Definedness& defined) const;
  void copy(const ByteValues& source, std::uint64_t bytes) const;
  void define(std::uint64_t bytes) const;
  void undefine(std::uint64_t bytes) const;
  /// What is undefined of these bytes came from there.
  void set_origin(std::uint64_t bytes, const Definedness& defined) const;
};

}  // namespace warpmark::cpu
