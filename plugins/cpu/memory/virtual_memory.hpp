// Addresses that programs reserve, and the memory that they map there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory/arena.hpp"
#include "memory/holes.hpp"
#include "memory/physical_memory.hpp"

namespace warpmark::cpu {

/// The process's one range of addresses for mapped memory, the same for all devices. What each
/// device may use of it is an arena of its own, which the arenas of its contexts are connected to.
/// Not thread-safe.
class VirtualMemory {
 public:
  static constexpr std::size_t kMostDevices = 16;
  /// As CU_MEM_ACCESS_FLAGS_PROT_….
  enum Access : std::uint8_t { none = 0, read = 1, read_write = 3 };

  struct Reservation {
    std::uint64_t address = 0, bytes = 0;  ///< as they were asked for
    std::uint64_t number = 0;              ///< counted from 1
    std::uint64_t taken = 0;               ///< bytes of the address range
    const char* by = nullptr;              ///< the driver's function that reserved them
  };
  struct Mapping {
    std::uint64_t address = 0, bytes = 0;
    std::shared_ptr<PhysicalMemory> memory;
    std::uint64_t offset = 0;  ///< in the memory
    std::array<std::uint8_t, kMostDevices> access{};
    const char* by = nullptr;  ///< the driver's function that made it
    std::uint64_t number = 0;  ///< counted from 1
  };

  /// Throws std::bad_alloc if the system has no room for so many addresses.
  explicit VirtualMemory(std::size_t devices);
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  [[nodiscard]] bool contains(std::uint64_t address) const { return address - base_ < kSpan; }
  /// The arena of the mapped memory that a device may use.
  [[nodiscard]] Arena& view(int device) { return *views_[static_cast<std::size_t>(device)]; }
  /// The view in which the range is live: the device's, if it is there, else another's; without
  /// one the device's.
  [[nodiscard]] Arena& view(int device, std::uint64_t address, std::uint64_t bytes);

  /// The address of a new range, at `wish` if that is free; 0 if there is none.
  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wish,
                        const char* by);
  /// False if it is no reservation, or something is mapped in it.
  bool unreserve(std::uint64_t address, std::uint64_t bytes);
  [[nodiscard]] const Reservation* reservation_at(std::uint64_t address) const;

  /// False if the range is not all reserved and free. `bytes` beyond the last page are not mapped.
  bool map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
           const std::shared_ptr<PhysicalMemory>& memory, const char* by);
  /// Unmaps what is mapped in a range, up to the end of the reservation that it begins in; that may
  /// be nothing. False if the range has a part of a mapping, or begins in no reservation.
  bool unmap(std::uint64_t address, std::uint64_t bytes);
  /// Returns whether the range consists of one or several whole, adjacent mappings.
  [[nodiscard]] bool whole(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const Mapping* mapping_at(std::uint64_t address) const;
  /// Sets the access of a device to a range that is whole().
  void set_access(std::uint64_t address, std::uint64_t bytes, int device, Access access);

  /// Allows mapping memory that is not fully defined from now on.
  void track_values();
  /// Marks all of the memory as defined, because there may have been writes that were not observed.
  void assume_values(PhysicalMemory& memory);
  void assume_values();

  [[nodiscard]] const std::map<std::uint64_t, Reservation>& reservations() const {
    return reservations_;
  }
  [[nodiscard]] const std::map<std::uint64_t, Mapping>& mappings() const { return mappings_; }

 private:
  static constexpr std::uint64_t kSpan = std::uint64_t{256} << 30;
  bool map_values(const Mapping& mapping);
  void show(const Reservation& range);
  [[nodiscard]] std::byte* alias_of(std::uint64_t address) const {
    return alias_ + (address - base_);
  }
  [[nodiscard]] std::byte* bits_of(std::uint64_t address) const {
    return bits_ + (address - base_) / 8;
  }

  std::uint64_t base_ = 0;
  std::byte *alias_ = nullptr, *bits_ = nullptr;
  bool tracks_values_ = false;
  std::uint64_t reserved_ = 0, mapped_ = 0;  ///< how many there were
  std::uint64_t next_ = 0;                   ///< where the next search begins
  Holes holes_;
  std::map<std::uint64_t, Reservation> reservations_;
  std::map<std::uint64_t, Mapping> mappings_;
  std::vector<std::unique_ptr<Arena>> views_;
};

}  // namespace warpmark::cpu
