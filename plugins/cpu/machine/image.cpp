// Handles of textures and surfaces: made, found out as stale, destroyed.
#include "machine/image.hpp"

#include <atomic>
#include <new>
#include <utility>

namespace warpmark::cpu {
namespace {

// Serial numbers of the process, which start at 1 so that no handle is 0.
std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

}  // namespace

template <typename Object>
std::uint64_t HandleTable<Object>::add(Object object) {
  std::uint64_t index = 0;
  if (free_.empty()) {
    index = entries_.size();
    if (index > kIndexMask) throw std::bad_alloc();
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Entry& entry = entries_[index];
  entry.object = std::move(object);
  entry.handle = next_serial() << kIndexBits | index;
  return entry.handle;
}

template <typename Object>
bool HandleTable<Object>::remove(std::uint64_t handle) {
  if (is_reference(handle) || find(handle) == nullptr) return false;
  const std::uint64_t index = handle & kIndexMask;
  entries_[index] = {};
  free_.push_back(index);
  return true;
}

template class HandleTable<Texture>;
template class HandleTable<Image>;

}  // namespace warpmark::cpu
