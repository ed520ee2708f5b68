// Which bits of memory have values.
#pragma once

#include <cstdint>

#include "inspect/values/definedness.hpp"
#include "memory/sparse_bytes.hpp"

namespace warpmark::cpu {

/// Definedness::origin of undefined bytes of a memory.
using Origins = SparseBytes<std::uint32_t, 0>;

/// Bytes of a memory from an address on, which may have values or not.
struct ByteValues {
  std::uint8_t* bits = nullptr;      ///< as init_bits.hpp has them; null if all bytes have values
  std::uint64_t from = 0, size = 0;  ///< the bit of the first byte; number of bits
  PartialBytes* partial = nullptr;   ///< null: bytes are defined or undefined as a whole
  std::uint64_t key = 0;             ///< key of the first byte in `partial` and in `origins`
  Origins* origins = nullptr;        ///< null: origins are not kept
  bool shared = false;               ///< other threads may set other bits of the same bytes

  /// Returns whether the first `bytes` bytes have values.
  [[nodiscard]] bool defined(std::uint64_t bytes) const;
  /// The bytes from `by` bytes further on.
  [[nodiscard]] ByteValues behind(std::uint64_t by) const;
  /// The undefined bits of the `bytes` bytes, at most 8, at offset `at`.
  [[nodiscard]] std::uint64_t undefined_bits(std::uint64_t at, std::uint32_t bytes) const;
  /// The same with their origin, for a statement that reads them from `space`.
  [[nodiscard]] Definedness read(std::uint64_t at, std::uint32_t bytes, Space space,
                                 std::uint32_t statement) const;
  /// Gives the bytes the definedness of a register.
  void write(std::uint64_t at, std::uint32_t bytes, const Definedness& defined) const;
  void copy(const ByteValues& source, std::uint64_t bytes) const;
  void define(std::uint64_t bytes) const;
  void undefine(std::uint64_t bytes) const;
  /// Sets the origin of the undefined bits of these bytes.
  void set_origin(std::uint64_t bytes, const Definedness& defined) const;
};

}  // namespace warpmark::cpu
