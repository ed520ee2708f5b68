// A copy of all memory that a launch can change, so that it can run again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "memory/arena.hpp"

namespace warpmark::cpu {

class KeptMemory {
 public:
  /// Copies an arena and those that its kernels reach. Nothing if there are more than `most` bytes.
  static std::optional<KeptMemory> of(Arena& arena, std::uint64_t most);
  /// All is as it was; the allocations must be the same.
  void put_back();

 private:
  struct Piece {
    const Arena* arena = nullptr;
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
    std::shared_ptr<std::uint8_t[]> init;  ///< the allocation's own map, or null
    std::vector<std::uint8_t> values;      ///< its contents
  };

  explicit KeptMemory(Arena& arena) : arena_(&arena), partial_(arena.partial_bytes()) {}

  Arena* arena_;
  PartialBytes partial_;
  std::vector<Piece> pieces_;
};

}  // namespace warpmark::cpu
