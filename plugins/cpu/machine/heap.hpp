// The memory that kernels allocate with malloc and new: an exact map inside one allocation.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "inspect/fault.hpp"
#include "memory/arena.hpp"

namespace warpmark::cpu {

/// A device heap lives as long as its context: one kernel may free memory that another allocated.
/// Safe to use from several threads; addresses depend only on the order of calls.
class DeviceHeap {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{8} << 20;

  /// Takes `bytes` of the arena; without success every allocation fails.
  DeviceHeap(Arena& arena, std::uint64_t bytes);

  /// The address of `bytes` new bytes, aligned to 16; 0 if they do not fit, or for 0 bytes.
  std::uint64_t allocate(std::uint64_t bytes);
  enum class Freed : std::uint8_t { good, twice, unknown };
  /// Frees memory that allocate() returned.
  Freed free(std::uint64_t address);

  [[nodiscard]] bool owns(std::uint64_t address) const { return address - base_ < bytes_; }
  /// The live block that holds all of [address, address + bytes); bytes 0 if there is none.
  [[nodiscard]] Allocation find(std::uint64_t address, std::uint64_t bytes) const;
  /// The blocks that are not freed, by address.
  [[nodiscard]] std::vector<Allocation> live_blocks() const;
  /// Fills in which block a faulty access is nearest to.
  void explain(Fault& fault) const;

 private:
  struct Block {
    std::uint64_t bytes = 0, reserved = 0;
    bool live = true;
  };
  /// The begin of `need` bytes of a hole, which no longer has them; 0 if none is large enough.
  std::uint64_t take(std::uint64_t need);
  /// Lets the block that was freed first be used again.
  void reuse_oldest();

  mutable std::mutex mutex_;
  std::uint64_t base_ = 0, bytes_ = 0;
  std::map<std::uint64_t, Block> blocks_;         ///< live and freed, by address
  std::map<std::uint64_t, std::uint64_t> holes_;  ///< ranges to be used, by address
  std::deque<std::uint64_t> withheld_;            ///< freed blocks in no hole yet, oldest first
  std::uint64_t withheld_bytes_ = 0;
};

}  // namespace warpmark::cpu
