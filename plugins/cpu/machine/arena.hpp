// Device memory: one reserved range of addresses, an exact map of what is allocated in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace warpmark::cpu {

/// One allocation, or what is left of a freed one.
struct Allocation {
  std::uint64_t address = 0, bytes = 0;  ///< bytes as they were asked for
  std::uint64_t reserved = 0;            ///< bytes of the address range, red zone included
  bool live = true;
  bool read_only = false;    ///< to kernels: a .const variable
  std::string label, dtype;  ///< from warpmark_device.label
  std::uint64_t label_address = 0, label_bytes = 0;
};

/// Where a faulty access lies with regard to an allocation.
struct Nearest {
  const Allocation* allocation = nullptr;
  enum class Side { before, inside, after } side = Side::after;
  std::uint64_t distance = 0;  ///< compute-sanitizer's: 1 is the first byte outside; 0 if inside
};

/// The device's memory. Device addresses are reserved without access, so that a host program that
/// dereferences one faults as with a GPU; the same pages are mapped a second time, readable and
/// writable, where only this library knows. Not thread-safe: the owning context locks.
class Arena {
 public:
  /// Reserves `span` bytes of addresses, of which `capacity` may be allocated at a time. Throws
  /// std::bad_alloc if the system refuses.
  Arena(std::uint64_t span, std::uint64_t capacity);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Windows for generic addresses of shared, local and parameter memory, at the start of the
  /// range; 16 MiB each, no memory behind them.
  static constexpr std::uint64_t kWindow = std::uint64_t{16} << 20;
  [[nodiscard]] std::uint64_t local_window() const { return base_; }
  [[nodiscard]] std::uint64_t shared_window() const { return base_ + kWindow; }
  [[nodiscard]] std::uint64_t param_window() const { return base_ + 2 * kWindow; }
  /// Where addresses of functions lie; nothing can be read there.
  [[nodiscard]] std::uint64_t code_window() const { return base_ + 3 * kWindow; }
  /// Where allocations can lie.
  [[nodiscard]] std::uint64_t global_begin() const { return base_ + 4 * kWindow; }
  [[nodiscard]] std::uint64_t global_bytes() const { return span_ - 4 * kWindow; }

  /// The address of `bytes` > 0 new bytes, zero, aligned to 512; 0 if they do not fit.
  std::uint64_t allocate(std::uint64_t bytes);
  /// False if `address` is not that of a live allocation. Its pages go back to the system.
  bool free(std::uint64_t address);

  /// The live allocation that holds all of [address, address + bytes), or null.
  [[nodiscard]] const Allocation* find(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] Allocation* find(std::uint64_t address);
  /// The live allocation nearest to the range, or the freed one that it lies in.
  [[nodiscard]] Nearest nearest(std::uint64_t address, std::uint64_t bytes) const;

  /// Host pointer to the bytes at a device address that find() has accepted.
  [[nodiscard]] std::byte* host(std::uint64_t address) const { return alias_ + (address - base_); }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - base_ < span_; }

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::uint64_t span_, capacity_;
  std::uint64_t base_ = 0;
  std::byte* alias_ = nullptr;
  int memory_file_ = -1;
  std::uint64_t used_ = 0;
  std::uint64_t next_ = 0;                           ///< where the next search begins
  std::map<std::uint64_t, Allocation> allocations_;  ///< live and freed, by address
  std::map<std::uint64_t, std::uint64_t> holes_;     ///< free ranges, by address
};

}  // namespace warpmark::cpu
