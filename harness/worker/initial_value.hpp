// The initial value of a buffer in the front's memory, which a worker maps or reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/shared_memory.hpp"
#include "driver/memory.hpp"

namespace warpmark {

class InitialValue {
 public:
  /// All of a memfd that the front wrote.
  InitialValue(SharedMemory mapped);  // NOLINT(google-explicit-constructor): it is one
  /// `bytes` bytes of the front's own memory, of which `memory` is the file.
  InitialValue(UniqueFd memory, SharedMemory::Place place, size_t bytes);

  size_t size() const { return mapped_ ? mapped_->size() : size_; }
  /// A number that the value has in every worker, and no other value of this front.
  uint64_t identity() const;
  /// The memfd; null for memory that is read.
  const SharedMemory* mapped() const { return mapped_ ? &*mapped_ : nullptr; }
  /// All bytes. Memory that is read is copied to this process at the first call, which throws an
  /// environment error if the front is gone.
  std::span<std::byte> bytes() const;
  /// Copies memory that is read, on all processors, to a block of its size through a few locked
  /// pages. Throws as `bytes`, and DriverError.
  void upload_to(DeviceMemory& buffer, const std::shared_ptr<const Context>& context) const;

 private:
  void read(size_t from, std::span<std::byte> to) const;

  std::optional<SharedMemory> mapped_;
  UniqueFd memory_;
  SharedMemory::Place place_;
  size_t size_ = 0;
  mutable std::optional<SharedMemory> copy_;
};

}  // namespace warpmark
