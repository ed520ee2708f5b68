// Addresses that stand for a piece of memory of each of several devices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory/physical_memory.hpp"

namespace warpmark::cpu {

/// An object of cuMulticastCreate: devices, and what of each one's memory is bound to which place.
class Multicast {
 public:
  Multicast(std::uint64_t bytes, std::uint32_t devices) : bytes_(bytes), wanted_(devices) {}
  ~Multicast();
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Returns whether all its devices have been added.
  [[nodiscard]] bool complete() const { return devices_.size() == wanted_; }
  [[nodiscard]] bool has(int device) const;
  void add(int device) { devices_.push_back(device); }
  /// False if something of the device is bound there.
  bool bind(std::uint64_t offset, const std::shared_ptr<PhysicalMemory>& memory,
            std::uint64_t memory_offset, std::uint64_t bytes);
  /// False if the range is not that of one or several whole pieces of the device.
  bool unbind(int device, std::uint64_t offset, std::uint64_t bytes);
  /// The memory of each device at an offset, in the order of devices; none if one has none there.
  [[nodiscard]] std::vector<std::byte*> at(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  struct Piece {
    int device = 0;
    std::uint64_t offset = 0, bytes = 0;
    std::shared_ptr<PhysicalMemory> memory;
    std::byte* host = nullptr;
  };
  std::uint64_t bytes_;
  std::uint32_t wanted_;
  std::vector<int> devices_;
  std::vector<Piece> pieces_;
};

/// Where multicast objects are mapped, for all devices of the process.
class MulticastMappings {
 public:
  static constexpr std::size_t kMostDevices = 16;
  struct Mapping {
    std::uint64_t address = 0, bytes = 0, offset = 0;
    std::shared_ptr<Multicast> object;
    std::array<std::uint8_t, kMostDevices> access{};  ///< as CU_MEM_ACCESS_FLAGS_PROT_…
  };
  /// False if something of it is mapped.
  bool map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
           const std::shared_ptr<Multicast>& object);
  /// False if no mapping is exactly there.
  bool unmap(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] Mapping* holder(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] bool overlaps(std::uint64_t address, std::uint64_t bytes) const;
  /// The memory of each device behind an address; none if a device may not access it, or if it is
  /// no multicast address.
  [[nodiscard]] std::vector<std::byte*> find(int device, std::uint64_t address,
                                             std::uint64_t bytes);

 private:
  std::map<std::uint64_t, Mapping> mappings_;
};

}  // namespace warpmark::cpu
