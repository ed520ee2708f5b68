// Device memory: one reserved range of addresses, an exact map of what is allocated in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/exports.hpp"
#include "memory/sparse_bytes.hpp"

namespace warpmark::cpu {

/// One allocation, or what is left of a freed one.
struct Allocation {
  std::uint64_t address = 0, bytes = 0;  ///< bytes as they were asked for
  std::uint64_t reserved = 0;            ///< bytes of the address range, red zone included
  bool live = true;
  bool read_only = false;     ///< to kernels
  bool constant = false;      ///< a .const variable: all that ld.const reads
  bool host_visible = false;  ///< the program may use the same address: managed or pinned memory
  bool of_heap = false;       ///< a kernel's own, from the device's heap
  bool pinned = false;        ///< the host's memory: does not count against the capacity
  bool lent = false;          ///< the program's own, which it registered: outside of the arena
  /// A bit for each device whose contexts may use it, too, and for those that may only read it.
  std::uint16_t shared_with = 0, shared_to_read = 0;
  bool closed = false;  ///< kernels of the arena's own device may not use it: of a host's pool
  bool mapped = false;  ///< of mapped memory, which shares `init` with other mappings
  /// For reserved addresses that are not live: the reason, as the continuation of a sentence about
  /// memory.
  const char* absent = nullptr;
  /// A bit for each byte that has a value, the least significant bit of a byte first; null if all
  /// have one.
  std::shared_ptr<std::uint8_t[]> init;
  std::string label, dtype;  ///< from warpmark_device.label
  std::uint64_t label_address = 0, label_bytes = 0;
  /// From warpmark_device.elements: bytes of the unit that is defined as a whole, 0 for records.
  std::optional<std::uint64_t> whole_bytes;
  /// From warpmark_device.rows: bytes of a row, and from one to the next; 0 without rows.
  std::uint64_t row = 0, pitch = 0;
  /// The place of an address relative to the rows that begin at the label.
  struct Place {
    std::uint64_t row = 0;     ///< of the last row that begins at the address or before
    std::uint64_t offset = 0;  ///< from its begin
    bool before = false;       ///< the address is in front of the first; `offset` says how far
  };
  [[nodiscard]] Place place_of(std::uint64_t at) const {
    if (at < label_address) return {0, label_address - at, true};
    return {(at - label_address) / pitch, (at - label_address) % pitch, false};
  }
  /// Returns whether some byte of a range is outside of its row.
  [[nodiscard]] bool leaves_rows(std::uint64_t at, std::uint64_t size) const {
    const Place place = place_of(at);
    return place.before || place.offset + size > row;
  }
  /// Bytes of an element of its dtype, a NumPy one; 0 if unknown.
  [[nodiscard]] std::uint64_t element_bytes() const;
  const char* by = nullptr;  ///< the driver's function that made it, of a client's allocation
  std::uint64_t number = 0;  ///< … counted from 1
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
  /// Makes a device's view of addresses that others reserve and map: see VirtualMemory.
  Arena(std::uint64_t base, std::uint64_t span, std::byte* alias)
      : span_(span), capacity_(0), base_(base), alias_(alias) {}
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

  /// The kind of an allocation's memory. Managed and pinned memory can be read and written by the
  /// host program at the device's address, too.
  enum class Kind : std::uint8_t { device, managed, pinned };
  /// The address of `bytes` > 0 new bytes, zero, aligned to 512; 0 if they do not fit. `by` names
  /// the driver's function for which a client gets the memory, and must live on.
  std::uint64_t allocate(std::uint64_t bytes, Kind kind = Kind::device, const char* by = nullptr);
  /// From now on device memory that is allocated has no values until it is written.
  void track_values(bool on) { tracks_values_ = on; }
  /// Memory that counts against the capacity, too, and is not of this arena.
  void share_capacity(const std::uint64_t& used) { used_elsewhere_ = &used; }
  /// Replaces the allocations in [address, address + bytes) by `entries`, which are in the order of
  /// addresses.
  void replace(std::uint64_t address, std::uint64_t bytes, std::vector<Allocation> entries);
  /// Marks the bytes of a live allocation as having values, or none.
  void set_values(std::uint64_t address, std::uint64_t bytes, bool have);
  /// The bytes at `to` were copied from live memory at `from` of `source`: those have values that
  /// have some there.
  void copy_values(std::uint64_t to, std::uint64_t bytes, const Arena& source, std::uint64_t from);
  /// Bytes of device memory of which only some bits have values, by address.
  [[nodiscard]] PartialBytes& partial_bytes() { return partial_bytes_; }
  /// All bytes have values: something may have written that nobody followed.
  void assume_values();
  /// False if `address` is not that of a live allocation. Its pages go back to the system.
  bool free(std::uint64_t address);

  /// The live allocation that holds all of [address, address + bytes), or null.
  [[nodiscard]] const Allocation* find(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] Allocation* find(std::uint64_t address);
  /// Calls body(allocation, address, bytes) for each piece of the range that is allocated.
  template <typename Body>
  void each_live(std::uint64_t address, std::uint64_t bytes, Body body) const {
    auto at = allocations_.upper_bound(address);
    if (at != allocations_.begin()) --at;
    for (; at != allocations_.end() && at->first < address + bytes; ++at) {
      const Allocation& allocation = at->second;
      const std::uint64_t from = std::max(address, allocation.address);
      const std::uint64_t to = std::min(address + bytes, allocation.address + allocation.bytes);
      if (allocation.live && from < to) body(allocation, from, to - from);
    }
  }
  /// The live allocation nearest to the range, or the freed one that it lies in; a peer's, if the
  /// range lies there.
  [[nodiscard]] Nearest nearest(std::uint64_t address, std::uint64_t bytes) const;

  /// Lets kernels reach memory of the program's own, outside of the arena, until it is taken back.
  /// False if some of it is lent already.
  bool lend(std::uint64_t address, std::uint64_t bytes, bool read_only);
  void take_back(std::uint64_t address);

  /// Lets kernels of this arena's context reach `other`, which must live until disconnected.
  void connect(const Arena& other) { peers_.push_back({&other, true}); }
  void disconnect(const Arena& other);
  /// … what of `other` is shared with this arena's device, unless that is done; until forgotten.
  void connect_shared(const Arena& other);
  void forget(const Arena& other);
  /// The device that the arena's context is of, below 16.
  void set_device(int device) { device_ = device; }
  /// Shares the allocation at an address with other devices, or no more. Memory of the host's pools
  /// is not for the arena's own device either, unless that is among them.
  void share(std::uint64_t address, std::uint16_t with, std::uint16_t to_read);
  /// Something was shared with other devices.
  [[nodiscard]] bool shares() const { return shares_; }
  /// Returns whether kernels may write to an allocation that holder() found.
  [[nodiscard]] bool may_write(const Arena& holder, const Allocation& allocation) const;
  /// Returns whether kernels can access memory outside of the arena, which only the exact map
  /// finds.
  [[nodiscard]] bool reaches_further() const { return !peers_.empty() || lent_ > 0; }
  /// Calls body(arena) for this one and for those that its kernels reach.
  template <typename Body>
  void each_reached(Body body) const {
    body(*this);
    for (const Peer& peer : peers_) body(*peer.arena);
  }
  /// The arena, this or a peer, with a live allocation that holds all of the range; or null.
  [[nodiscard]] const Arena* holder(std::uint64_t address, std::uint64_t bytes) const;

  /// A name by which other processes find a live allocation of device memory, all of which counts
  /// as written from now on. False if there is no room for more names.
  bool export_allocation(const Allocation& allocation, Export& name);

  /// Host pointer to the bytes at a device address that find() has accepted.
  [[nodiscard]] std::byte* host(std::uint64_t address) const {
    return contains(address) ? alias_ + (address - base_) : reinterpret_cast<std::byte*>(address);
  }
  [[nodiscard]] bool contains(std::uint64_t address) const { return address - base_ < span_; }

  /// A client's allocations that are live, in the order of their numbers.
  [[nodiscard]] std::vector<const Allocation*> live_allocations() const;

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const {
    return used_ + (used_elsewhere_ == nullptr ? 0 : *used_elsewhere_);
  }

 private:
  /// Maps an allocation's pages at its device address, or takes them away again.
  bool show(const Allocation& allocation, bool visible);

  std::uint64_t span_, capacity_;
  std::uint64_t base_ = 0;
  std::byte* alias_ = nullptr;
  int memory_file_ = -1;
  std::uint64_t used_ = 0, pinned_ = 0;
  const std::uint64_t* used_elsewhere_ = nullptr;
  std::uint64_t lent_ = 0;  ///< ranges of the program's own memory
  PartialBytes partial_bytes_;
  bool tracks_values_ = false;
  std::uint64_t made_ = 0;  ///< allocations of clients
  struct Peer {
    const Arena* arena = nullptr;
    bool all = false;  ///< else only what is shared with the device
  };
  std::vector<Peer> peers_;
  int device_ = 0;
  ExportTable exports_;
  bool shares_ = false;
  std::uint64_t next_ = 0;                           ///< where the next search begins
  std::map<std::uint64_t, Allocation> allocations_;  ///< live and freed, by address
  std::map<std::uint64_t, std::uint64_t> holes_;     ///< free ranges, by address
};

}  // namespace warpmark::cpu
