// Addresses of an array that memory is mapped into later, and perhaps not everywhere.
#pragma once

#include <cstdint>
#include <memory>

namespace warpmark::cpu {

/// A reservation of VirtualMemory, with what is mapped in it; both end with this.
class MappedRange {
 public:
  /// Null if there are no such addresses left.
  static std::unique_ptr<MappedRange> reserve(std::uint64_t bytes, const char* by);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  MappedRange(std::uint64_t address, std::uint64_t bytes) : address_(address), bytes_(bytes) {}
  std::uint64_t address_, bytes_;
};

}  // namespace warpmark::cpu
