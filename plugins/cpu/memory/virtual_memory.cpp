// Reserving addresses, mapping memory there, and what each device sees of it.
#include "memory/virtual_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "memory/pages.hpp"

namespace warpmark::cpu {
namespace {

// A wish: equal addresses make equal reports in every run. The system may choose otherwise.
constexpr std::uint64_t kWishedMapped = 0x7d0000000000;

std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::byte* addresses(std::uint64_t wish, std::uint64_t bytes) {
  void* place = mmap(reinterpret_cast<void*>(wish), bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}
// Nothing is at `place` any more, and nobody else gets the addresses.
bool clear(std::byte* place, std::uint64_t bytes) {
  return mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
              0) != MAP_FAILED;
}
bool map_file(std::byte* place, std::uint64_t bytes, int file, std::uint64_t offset) {
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
           static_cast<off_t>(offset)) == MAP_FAILED)
    return false;
  (void)madvise(place, bytes, MADV_DONTDUMP);
  return true;
}

const char* absence(const VirtualMemory::Mapping* mapping) {
  return mapping == nullptr ? "reserved, not mapped"
                            : "mapped, without access for this device (cuMemSetAccess)";
}

}  // namespace

VirtualMemory::VirtualMemory(std::size_t devices) {
  std::byte* base = addresses(kWishedMapped, kSpan);
  alias_ = addresses(0, kSpan);
  bits_ = addresses(0, kSpan / 8);
  if (base == nullptr || alias_ == nullptr || bits_ == nullptr) {
    if (base != nullptr) munmap(base, kSpan);
    if (alias_ != nullptr) munmap(alias_, kSpan);
    if (bits_ != nullptr) munmap(bits_, kSpan / 8);
    throw std::bad_alloc();
  }
  base_ = reinterpret_cast<std::uint64_t>(base);
  constexpr std::uint64_t unit = PhysicalMemory::kGranularity;
  next_ = up(base_, unit);
  holes_[next_] = (base_ + kSpan) / unit * unit - next_;
  for (std::size_t i = 0; i < devices; ++i)
    views_.push_back(std::make_unique<Arena>(base_, kSpan, alias_));
}

VirtualMemory::~VirtualMemory() {
  munmap(reinterpret_cast<void*>(base_), kSpan);
  munmap(alias_, kSpan);
  munmap(bits_, kSpan / 8);
}

Arena& VirtualMemory::view(int device, std::uint64_t address, std::uint64_t bytes) {
  Arena& own = view(device);
  if (own.find(address, bytes) != nullptr) return own;
  const auto other = std::ranges::find_if(
      views_, [&](const auto& view) { return view->find(address, bytes) != nullptr; });
  return other == views_.end() ? own : **other;
}

std::uint64_t VirtualMemory::reserve(std::uint64_t bytes, std::uint64_t alignment,
                                     std::uint64_t wish, const char* by) {
  constexpr std::uint64_t unit = PhysicalMemory::kGranularity;
  alignment = std::max(alignment, unit);
  if (bytes > kSpan || alignment > kSpan) return 0;
  // A unit lies between reservations, so that an access past the end meets nobody's data.
  const std::uint64_t taken = up(bytes, unit) + unit;
  const auto place_in = [&](const std::pair<const std::uint64_t, std::uint64_t>& hole) {
    const std::uint64_t first = up(hole.first, alignment);
    return first - hole.first <= hole.second && taken <= hole.second - (first - hole.first) ? first
                                                                                            : 0;
  };
  std::uint64_t address = 0;
  auto hole = holes_.upper_bound(wish);
  if (wish % alignment == 0 && hole != holes_.begin()) {
    --hole;
    const std::uint64_t before = wish - hole->first;
    if (before < hole->second && taken <= hole->second - before) address = wish;
  }
  if (address == 0) {
    // Next fit, so that freed addresses come back as late as possible.
    hole = holes_.lower_bound(next_);
    for (std::size_t tried = 0; tried <= holes_.size() && address == 0; ++tried) {
      if (hole == holes_.end()) hole = holes_.begin();
      if (hole == holes_.end()) return 0;
      address = place_in(*hole);
      if (address == 0) ++hole;
    }
    if (address == 0) return 0;
  }
  const auto [first, size] = *hole;
  holes_.erase(hole);
  if (address > first) holes_[first] = address - first;
  if (first + size > address + taken) holes_[address + taken] = first + size - address - taken;
  next_ = address + taken;
  const Reservation& made =
      reservations_.emplace(address, Reservation{address, bytes, ++reserved_, taken, by})
          .first->second;
  show(made);
  return address;
}

bool VirtualMemory::unreserve(std::uint64_t address, std::uint64_t bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes) return false;
  const auto mapping = mappings_.lower_bound(address);
  if (mapping != mappings_.end() && mapping->first < address + bytes) return false;
  Allocation gone;
  gone.address = address;
  gone.bytes = gone.reserved = bytes;
  gone.live = false;
  gone.absent = "freed (cuMemAddressFree)";
  for (const auto& view : views_) view->replace(address, found->second.taken, {gone});
  add_hole(holes_, address, found->second.taken);
  reservations_.erase(found);
  return true;
}

const VirtualMemory::Reservation* VirtualMemory::reservation_at(std::uint64_t address) const {
  const auto after = reservations_.upper_bound(address);
  if (after == reservations_.begin()) return nullptr;
  const Reservation& found = std::prev(after)->second;
  return address - found.address < found.bytes ? &found : nullptr;
}

const VirtualMemory::Mapping* VirtualMemory::mapping_at(std::uint64_t address) const {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return nullptr;
  const Mapping& found = std::prev(after)->second;
  return address - found.address < found.bytes ? &found : nullptr;
}

bool VirtualMemory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
                        const std::shared_ptr<PhysicalMemory>& memory, const char* by) {
  const Reservation* range = reservation_at(address);
  if (range == nullptr || bytes > range->bytes - (address - range->address)) return false;
  const auto after = mappings_.lower_bound(address);
  if (mapping_at(address) != nullptr ||
      (after != mappings_.end() && after->first < address + bytes))
    return false;
  if (!map_file(alias_of(address), whole_pages(bytes), memory->file(), memory->offset() + offset))
    throw std::bad_alloc();
  const Mapping made{address, bytes, memory, offset, {}, by, ++mapped_};
  if (tracks_values_ && !map_values(made)) {
    clear(alias_of(address), whole_pages(bytes));
    throw std::bad_alloc();
  }
  mappings_.emplace(address, made);
  show(*range);
  return true;
}

// Mappings of one memory share what is known of its bytes, as they share these.
bool VirtualMemory::map_values(const Mapping& mapping) {
  std::byte* bits = bits_of(mapping.address);
  const std::uint64_t size = whole_pages(up(mapping.bytes, 8) / 8);
  if (!mapping.memory->has_values)
    return map_file(bits, size, mapping.memory->file(),
                    mapping.memory->bits_offset() + mapping.offset / 8);
  if (mmap(bits, size, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    return false;
  std::memset(bits, 0xff, size);
  return true;
}

bool VirtualMemory::whole(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t end = address + bytes;
  if (bytes == 0 || end < address) return false;
  for (auto next = mappings_.find(address); address < end; ++next) {
    if (next == mappings_.end() || next->first != address) return false;
    address += next->second.bytes;
  }
  return address == end;
}

bool VirtualMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const Reservation* range = reservation_at(address);
  if (range == nullptr || bytes == 0) return false;
  bytes = std::min(bytes, range->bytes - (address - range->address));
  const Mapping* cut = mapping_at(address);
  const Mapping* last = mapping_at(address + bytes - 1);
  if ((cut != nullptr && cut->address != address) ||
      (last != nullptr && last->address + last->bytes > address + bytes))
    return false;
  const auto first = mappings_.lower_bound(address);
  const auto end = mappings_.lower_bound(address + bytes);
  for (auto i = first; i != end; ++i) {
    if (!clear(alias_of(i->first), whole_pages(i->second.bytes))) throw std::bad_alloc();
    if (tracks_values_) clear(bits_of(i->first), whole_pages(up(i->second.bytes, 8) / 8));
  }
  mappings_.erase(first, end);
  show(*range);
  return true;
}

void VirtualMemory::set_access(std::uint64_t address, std::uint64_t bytes, int device,
                               Access access) {
  const auto end = mappings_.lower_bound(address + bytes);
  for (auto i = mappings_.find(address); i != end; ++i)
    i->second.access[static_cast<std::size_t>(device)] = access;
  for (auto i = mappings_.find(address); i != end; ++i) {
    const Reservation* range = reservation_at(i->first);
    if (range != nullptr) show(*range);
  }
}

void VirtualMemory::track_values() {
  if (tracks_values_) return;
  tracks_values_ = true;
  for (const auto& [address, mapping] : mappings_) {
    if (!map_values(mapping)) throw std::bad_alloc();
  }
  for (const auto& [address, range] : reservations_) show(range);
}

void VirtualMemory::assume_values(PhysicalMemory& memory) {
  if (memory.has_values) return;
  memory.has_values = true;
  for (const auto& [address, mapping] : mappings_) {
    if (mapping.memory.get() == &memory) std::memset(bits_of(address), 0xff, mapping.bytes / 8);
  }
}

void VirtualMemory::assume_values() {
  if (!tracks_values_) return;
  for (const auto& [address, mapping] : mappings_) assume_values(*mapping.memory);
}

// Each device sees mappings beside each other, with the same access, as one allocation: an access
// may cross their borders.
void VirtualMemory::show(const Reservation& range) {
  for (std::size_t device = 0; device < views_.size(); ++device) {
    std::vector<Allocation> entries;
    const auto add = [&](std::uint64_t address, std::uint64_t bytes, const Mapping* mapping) {
      Allocation entry;
      entry.address = address;
      entry.bytes = entry.reserved = bytes;
      entry.by = mapping == nullptr ? nullptr : mapping->by;
      entry.number = mapping == nullptr ? 0 : mapping->number;
      entry.mapped = true;
      entry.live = mapping != nullptr && mapping->access[device] != none;
      entry.read_only = entry.live && mapping->access[device] == read;
      entry.absent = entry.live ? nullptr : absence(mapping);
      if (entry.live && tracks_values_)
        entry.init = {std::shared_ptr<void>(), reinterpret_cast<std::uint8_t*>(bits_of(address))};
      Allocation* last = entries.empty() ? nullptr : &entries.back();
      if (last != nullptr && last->live == entry.live && last->read_only == entry.read_only &&
          last->absent == entry.absent)
        last->bytes = last->reserved = last->bytes + bytes;
      else
        entries.push_back(std::move(entry));
    };
    std::uint64_t at = range.address;
    for (auto i = mappings_.lower_bound(at); i != mappings_.end(); ++i) {
      if (i->first >= range.address + range.bytes) break;
      if (i->first > at) add(at, i->first - at, nullptr);
      add(i->first, i->second.bytes, &i->second);
      at = i->first + i->second.bytes;
    }
    if (at < range.address + range.bytes) add(at, range.address + range.bytes - at, nullptr);
    views_[device]->replace(range.address, range.taken, std::move(entries));
  }
}

}  // namespace warpmark::cpu
