// First fit over a map of holes, with a gap behind every block that no access may touch. Freed blocks
// become holes late, so that a use after free is still known as one.
#include "machine/heap.hpp"

#include <iterator>

#include "memory/holes.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kAlignment = 16;
// Behind each block, so that the byte past its end belongs to nobody.
constexpr std::uint64_t kGap = 16;
// The most freed blocks that are not used again, and the most bytes of them: a part of the heap.
constexpr std::size_t kWithheldBlocks = 16384;
constexpr std::uint64_t kWithheldPart = 4;

}  // namespace

DeviceHeap::DeviceHeap(Arena& arena, std::uint64_t bytes) {
  base_ = arena.allocate(bytes);
  if (base_ == 0) return;
  bytes_ = bytes;
  // No block has the heap's own address: cuMemFree of a block must not free the heap.
  if (bytes > kAlignment) holes_[base_ + kAlignment] = bytes - kAlignment;
}

std::uint64_t DeviceHeap::take(std::uint64_t need) {
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    if (hole->second < need) continue;
    const std::uint64_t address = hole->first, rest = hole->second - need;
    holes_.erase(hole);
    if (rest > 0) holes_[address + need] = rest;
    return address;
  }
  return 0;
}

void DeviceHeap::reuse_oldest() {
  const std::uint64_t address = withheld_.front(), reserved = blocks_[address].reserved;
  withheld_.pop_front();
  withheld_bytes_ -= reserved;
  add_hole(holes_, address, reserved);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > bytes_) return 0;
  const std::uint64_t need = (bytes + kAlignment - 1) / kAlignment * kAlignment + kGap;
  std::uint64_t address = take(need);
  if (address == 0 && !withheld_.empty()) {
    while (!withheld_.empty()) reuse_oldest();
    address = take(need);
  }
  if (address == 0) return 0;
  auto old = blocks_.lower_bound(address);  // remains of freed blocks are forgotten
  while (old != blocks_.end() && old->first < address + need) old = blocks_.erase(old);
  blocks_[address] = {bytes, need, true};
  return address;
}

DeviceHeap::Freed DeviceHeap::free(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return Freed::unknown;
  if (!block->second.live) return Freed::twice;
  block->second.live = false;
  withheld_.push_back(address);
  withheld_bytes_ += block->second.reserved;
  while (withheld_.size() > kWithheldBlocks || withheld_bytes_ > bytes_ / kWithheldPart)
    reuse_oldest();
  return Freed::good;
}

Allocation DeviceHeap::find(std::uint64_t address, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  Allocation found;
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return found;
  const auto& [begin, block] = *std::prev(after);
  const std::uint64_t offset = address - begin;
  if (!block.live || offset >= block.bytes || bytes > block.bytes - offset) return found;
  found.address = begin;
  found.bytes = block.bytes;
  found.of_heap = true;
  return found;
}

std::vector<Allocation> DeviceHeap::live_blocks() const {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation> live;
  for (const auto& [address, block] : blocks_) {
    if (!block.live) continue;
    Allocation& one = live.emplace_back();
    one.address = address;
    one.bytes = block.bytes;
  }
  return live;
}

void DeviceHeap::explain(Fault& fault) const {
  const std::lock_guard lock(mutex_);
  fault.allocation = {};
  const auto after = blocks_.upper_bound(fault.address);
  const auto consider = [&](std::uint64_t begin, const Block& block) {
    const std::uint64_t end = begin + block.bytes;
    Nearest::Side side = Nearest::Side::inside;
    std::uint64_t distance = 0;
    if (fault.address < begin) {
      side = Nearest::Side::before;
      distance = begin - fault.address;
    } else if (fault.address >= end || (block.live && fault.address + fault.bytes > end)) {
      side = Nearest::Side::after;
      distance = fault.address >= end ? fault.address - end + 1 : 1;
    }
    if (!block.live && side != Nearest::Side::inside) return;
    if (fault.allocation.bytes != 0 && fault.distance <= distance) return;
    fault.allocation.address = begin;
    fault.allocation.bytes = block.bytes;
    fault.allocation.live = block.live;
    fault.allocation.of_heap = true;
    fault.side = side;
    fault.distance = distance;
  };
  for (auto i = after; i != blocks_.end(); ++i) {
    consider(i->first, i->second);
    if (i->second.live) break;
  }
  for (auto i = after; i != blocks_.begin();) {
    --i;
    consider(i->first, i->second);
    if (i->second.live) break;
  }
}

}  // namespace warpmark::cpu
