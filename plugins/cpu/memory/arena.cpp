// Reserving, allocating and finding device memory.
#include "memory/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "memory/holes.hpp"
#include "memory/init_bits.hpp"
#include "memory/pages.hpp"

namespace warpmark::cpu {
namespace {

// Pages come as they are touched.
std::shared_ptr<std::uint8_t[]> no_values(std::uint64_t bytes) {
  auto* bits = static_cast<std::uint8_t*>(std::calloc(bytes / 8 + 1, 1));
  if (bits == nullptr) throw std::bad_alloc();
  return {bits, [](std::uint8_t* memory) { std::free(memory); }};
}

// At least a page lies between allocations, so that an access past the end meets nobody's data; the
// exact map finds every other stray access too, unless it lands inside another allocation.
constexpr std::uint64_t kRedZone = kHostPage;
// Managed and pinned memory is everybody's.
constexpr std::uint16_t kAllDevices = 0xffff;
// A wish: equal addresses make equal reports in every run. The system may choose otherwise.
constexpr std::uint64_t kWishedBase = 0x7ea000000000;

}  // namespace

Arena::Arena(std::uint64_t span, std::uint64_t capacity) : span_(span), capacity_(capacity) {
  memory_file_ = memfd_create("warpmark-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory_file_ < 0 || ftruncate(memory_file_, static_cast<off_t>(span)) != 0) {
    if (memory_file_ >= 0) close(memory_file_);
    throw std::bad_alloc();
  }
  void* reserved = mmap(reinterpret_cast<void*>(kWishedBase), span, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* alias = reserved == MAP_FAILED ? MAP_FAILED
                                       : mmap(nullptr, span, PROT_READ | PROT_WRITE,
                                              MAP_SHARED | MAP_NORESERVE, memory_file_, 0);
  if (alias == MAP_FAILED) {
    if (reserved != MAP_FAILED) munmap(reserved, span);
    close(memory_file_);
    throw std::bad_alloc();
  }
  // A crash dump would otherwise hold all of the device's memory.
  (void)madvise(alias, span, MADV_DONTDUMP);
  base_ = reinterpret_cast<std::uint64_t>(reserved);
  alias_ = static_cast<std::byte*>(alias);
  next_ = base_ + 4 * kWindow;
  holes_[next_] = base_ + span_ - next_;
}

Arena::~Arena() {
  if (memory_file_ < 0) return;  // the addresses are those of others
  munmap(reinterpret_cast<void*>(base_), span_);
  munmap(alias_, span_);
  close(memory_file_);
}

bool Arena::show(const Allocation& allocation, bool visible) {
  void* at = reinterpret_cast<void*>(allocation.address);
  const std::uint64_t bytes = whole_pages(allocation.bytes);
  const void* mapped =
      visible ? mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
                     memory_file_, static_cast<off_t>(allocation.address - base_))
              : mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                     -1, 0);
  return mapped != MAP_FAILED;
}

std::uint64_t Arena::allocate(std::uint64_t bytes, Kind kind, const char* by) {
  std::uint64_t& used = kind == Kind::pinned ? pinned_ : used_;
  const std::uint64_t taken = kind == Kind::pinned ? pinned_ : this->used();
  if (bytes == 0 || bytes > capacity_ - std::min(capacity_, taken)) return 0;
  const std::uint64_t need = whole_pages(bytes) + kRedZone;
  // Next fit: freed addresses come back as late as possible, so that a use after free is still
  // known as one.
  auto hole = holes_.lower_bound(next_);
  for (std::size_t tried = 0; tried <= holes_.size(); ++tried) {
    if (hole == holes_.end()) hole = holes_.begin();
    if (hole == holes_.end()) return 0;
    if (hole->second >= need) break;
    ++hole;
  }
  if (hole == holes_.end() || hole->second < need) return 0;
  const std::uint64_t address = hole->first, rest = hole->second - need;
  holes_.erase(hole);
  if (rest > 0) holes_[address + need] = rest;
  next_ = address + need;
  // Remains of freed allocations in the range are forgotten.
  auto old = allocations_.lower_bound(address);
  while (old != allocations_.end() && old->first < address + need) old = allocations_.erase(old);
  if (old != allocations_.begin()) {
    auto before = std::prev(old);
    if (!before->second.live && before->first + before->second.reserved > address)
      allocations_.erase(before);
  }
  Allocation allocation;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.reserved = need;
  allocation.pinned = kind == Kind::pinned;
  allocation.host_visible = kind != Kind::device;
  if (tracks_values_ && kind == Kind::device) {
    allocation.init = no_values(bytes);
    partial_bytes_.forget(address, bytes);
  }
  allocation.by = by;
  if (by != nullptr) allocation.number = ++made_;
  if (kind != Kind::device) {
    allocation.shared_with = kAllDevices;
    shares_ = true;
  }
  const bool good = kind == Kind::device || show(allocation, true);
  allocations_.emplace(address, std::move(allocation));
  used += bytes;
  if (good) return address;
  free(address);
  return 0;
}

std::uint64_t Allocation::element_bytes() const {
  static constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"bool", 1},    {"int8", 1},     {"uint8", 1},   {"int16", 2},     {"uint16", 2},
      {"float16", 2}, {"bfloat16", 2}, {"int32", 4},   {"uint32", 4},    {"float32", 4},
      {"int64", 8},   {"uint64", 8},   {"float64", 8}, {"complex64", 8}, {"complex128", 16}};
  for (const auto& [name, size] : kSizes) {
    if (dtype == name) return size;
  }
  return 0;
}

void Arena::set_values(std::uint64_t address, std::uint64_t bytes, bool have) {
  Allocation* allocation = find(address);
  if (allocation == nullptr) return;
  const std::uint64_t from = address - allocation->address;
  bytes = std::min(bytes, allocation->bytes - from);
  if (have) {
    if (allocation->init == nullptr) return;
    if (bytes == allocation->bytes && !allocation->mapped)
      allocation->init = nullptr;
    else
      set_bits(allocation->init.get(), from, bytes);
  } else if (tracks_values_ && !allocation->mapped) {
    if (allocation->init == nullptr) {
      allocation->init = no_values(allocation->bytes);
      if (bytes != allocation->bytes) set_bits(allocation->init.get(), 0, allocation->bytes);
    }
    set_bits<false>(allocation->init.get(), from, bytes);
    partial_bytes_.forget(address, bytes);
  }
}

void Arena::copy_values(std::uint64_t to, std::uint64_t bytes, const Arena& source,
                        std::uint64_t from) {
  const Allocation* read = source.find(from, bytes);
  const bool whole = read == nullptr || read->init == nullptr ||
                     all_set(read->init.get(), from - read->address, bytes);
  Allocation* written = find(to);
  const bool tracked = tracks_values_ || (written != nullptr && written->mapped);
  if (whole || !tracked) return set_values(to, bytes, true);
  // Held, as the target may be the same allocation.
  const std::shared_ptr<std::uint8_t[]> bits = read->init;
  const std::uint64_t first = from - read->address;
  if (written == nullptr || written->host_visible) return;
  if (written->init == nullptr && written->mapped) return;
  if (written->init == nullptr) {
    written->init = no_values(written->bytes);
    set_bits(written->init.get(), 0, written->bytes);
  }
  copy_bits(written->init.get(), to - written->address, bits.get(), first, bytes);
  partial_bytes_.copy(to, source.partial_bytes_, from, bytes);
}

void Arena::assume_values() {
  for (auto& [address, allocation] : allocations_) allocation.init = nullptr;
}

std::vector<const Allocation*> Arena::live_allocations() const {
  std::vector<const Allocation*> live;
  for (const auto& [address, allocation] : allocations_) {
    if (allocation.live && allocation.by != nullptr) live.push_back(&allocation);
  }
  std::ranges::sort(live,
                    [](const Allocation* a, const Allocation* b) { return a->number < b->number; });
  return live;
}

bool Arena::free(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.live || found->second.lent) return false;
  Allocation& allocation = found->second;
  allocation.live = false;
  allocation.label.clear();
  allocation.dtype.clear();
  allocation.whole_bytes.reset();
  allocation.row = allocation.pitch = 0;
  allocation.init = nullptr;
  partial_bytes_.forget(address, allocation.reserved);
  (allocation.pinned ? pinned_ : used_) -= allocation.bytes;
  if (allocation.host_visible) {
    // The address must not lead the program to another allocation's bytes later; if the system
    // refuses to unmap, the range is never used again.
    if (!show(allocation, false)) return true;
    allocation.host_visible = false;
  }
  exports_.remove(address - base_);
  // Punching a hole gives the pages back, and makes them zero for the next owner.
  if (fallocate(memory_file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(address - base_),
                static_cast<off_t>(allocation.reserved)) != 0) {
    std::memset(host(address), 0, allocation.reserved);  // a filter of system calls may forbid it
  }
  add_hole(holes_, address, allocation.reserved);
  return true;
}

bool Arena::export_allocation(const Allocation& allocation, Export& name) {
  if (!exports_.begun()) {
    // Processes that map the file rely on its size. The windows at its beginning are not used.
    (void)fcntl(memory_file_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    exports_.begin(alias_, memory_file_);
  }
  if (!exports_.add(allocation.address - base_, allocation.bytes, device_, name)) return false;
  set_values(allocation.address, allocation.bytes, true);
  return true;
}

bool Arena::lend(std::uint64_t address, std::uint64_t bytes, bool read_only) {
  const auto after = allocations_.lower_bound(address);
  if (after != allocations_.end() && after->first - address < bytes) return false;
  if (after != allocations_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (address - before.address < before.bytes) return false;
  }
  Allocation range;
  range.address = address;
  range.bytes = bytes;
  range.read_only = read_only;
  range.host_visible = range.pinned = range.lent = true;
  range.shared_with = kAllDevices;
  shares_ = true;
  allocations_.emplace(address, std::move(range));
  ++lent_;
  return true;
}

void Arena::take_back(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.lent) return;
  allocations_.erase(found);
  --lent_;
}

const Allocation* Arena::find(std::uint64_t address, std::uint64_t bytes) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& allocation = std::prev(after)->second;
  const std::uint64_t offset = address - allocation.address;
  const bool inside =
      allocation.live && offset < allocation.bytes && bytes <= allocation.bytes - offset;
  return inside ? &allocation : nullptr;
}

Allocation* Arena::find(std::uint64_t address) {
  return const_cast<Allocation*>(std::as_const(*this).find(address, 1));
}

const Arena* Arena::holder(std::uint64_t address, std::uint64_t bytes) const {
  if (const Allocation* own = find(address, bytes)) return own->closed ? nullptr : this;
  for (const Peer& peer : peers_) {
    const Allocation* found = peer.arena->find(address, bytes);
    if (found != nullptr && (peer.all || (found->shared_with >> device_ & 1) != 0))
      return peer.arena;
  }
  return nullptr;
}

bool Arena::may_write(const Arena& holder, const Allocation& allocation) const {
  if (allocation.read_only) return false;
  if (&holder == this || (allocation.shared_to_read >> device_ & 1) == 0) return true;
  return std::ranges::any_of(peers_,
                             [&](const Peer& peer) { return peer.arena == &holder && peer.all; });
}

void Arena::disconnect(const Arena& other) {
  std::erase_if(peers_, [&](const Peer& peer) { return peer.arena == &other && peer.all; });
}
void Arena::forget(const Arena& other) {
  std::erase_if(peers_, [&](const Peer& peer) { return peer.arena == &other; });
}
void Arena::connect_shared(const Arena& other) {
  const auto known = [&](const Peer& peer) { return peer.arena == &other && !peer.all; };
  if (std::ranges::none_of(peers_, known)) peers_.push_back({&other, false});
}

void Arena::share(std::uint64_t address, std::uint16_t with, std::uint16_t to_read) {
  Allocation* found = find(address);
  if (found == nullptr) return;
  found->shared_with = with;
  found->shared_to_read = to_read;
  if (found->pinned) {
    found->closed = (with >> device_ & 1) == 0;
    found->read_only = (to_read >> device_ & 1) != 0;
  }
  shares_ = shares_ || with != 0;
}

void Arena::replace(std::uint64_t address, std::uint64_t bytes, std::vector<Allocation> entries) {
  const auto first = allocations_.lower_bound(address);
  allocations_.erase(first, allocations_.lower_bound(address + bytes));
  for (Allocation& entry : entries) allocations_.emplace(entry.address, std::move(entry));
}

Nearest Arena::nearest(std::uint64_t address, std::uint64_t bytes) const {
  if (!contains(address)) {
    for (const Peer& peer : peers_) {
      if (peer.arena->contains(address)) return peer.arena->nearest(address, bytes);
    }
  }
  Nearest best;
  const auto consider = [&](const Allocation& allocation) {
    const std::uint64_t end = allocation.address + allocation.bytes;
    Nearest found;
    found.allocation = &allocation;
    if (address < allocation.address) {
      found.side = Nearest::Side::before;
      found.distance = allocation.address - address;
    } else if (address >= end) {
      found.side = Nearest::Side::after;
      found.distance = address - end + 1;
    } else if (address + bytes > end &&
               allocation.live) {  // straddles the end: its first byte outside
      found.side = Nearest::Side::after;
      found.distance = 1;
    } else {
      found.side = Nearest::Side::inside;
    }
    // A freed allocation explains only what lies in it.
    if (!allocation.live && found.side != Nearest::Side::inside) return;
    if (best.allocation == nullptr || found.distance < best.distance) best = found;
  };
  auto after = allocations_.upper_bound(address);
  for (auto i = after; i != allocations_.end(); ++i) {
    consider(i->second);
    if (i->second.live) break;
  }
  for (auto i = after; i != allocations_.begin();) {
    --i;
    consider(i->second);
    if (i->second.live) break;
  }
  return best;
}

}  // namespace warpmark::cpu
