// Chunks of cells, which the system gives pages to as they are touched.
#include "inspect/races/race_memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace warpmark::cpu {

namespace {

// MADV_POPULATE_WRITE of linux/mman.h, since Linux 5.14; glibc has it from 2.35 on, and packages are
// built against 2.31. An older kernel refuses it.
constexpr int kPopulateWrite = 23;

}  // namespace

void RaceMemory::Unmap::operator()(std::uint64_t* cells) const {
  munmap(cells, kSlab * kChunkBytes);
}

// Mapped and not from the heap, which would hand out memory that must be cleared, and so be touched
// from end to end even where a kernel touches little.
std::uint64_t* RaceMemory::make(std::uint64_t chunk, std::uint64_t asked, bool stores) {
  if (used_ + kChunkBytes > most_) {
    full_ = true;
    return nullptr;
  }
  const std::uint64_t in_slab = used_ / kChunkBytes % kSlab;
  if (in_slab == 0) {
    void* mapped = mmap(nullptr, kSlab * kChunkBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      full_ = true;
      return nullptr;
    }
    slabs_.emplace_back(static_cast<std::uint64_t*>(mapped));
  }
  std::uint64_t* const cells = slabs_.back().get() + in_slab * 3 * kChunk;
  used_ += kChunkBytes;
  // A first access reads the records that it then writes, so that the system would give each page
  // twice: one of zeros, and its own. If that fails it does just this, as it does where cells are
  // few and so may be far apart.
  if (asked >= 32) madvise(stores ? cells : cells + kChunk, kChunk * sizeof *cells, kPopulateWrite);
  if (chunk >= kNear) return far_[chunk] = cells;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  return chunks_[chunk] = cells;
}

void RaceMemory::forget(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = ((address + bytes - 1 - begin_) >> shift_) + 1;
  for (std::uint64_t cell = (address - begin_) >> shift_; cell < end;) {
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    const std::uint64_t count = std::min(end - cell, kChunk - at);
    if (std::uint64_t* const cells = chunk_at(chunk); cells != nullptr) {
      for (int part = 0; part < 3; ++part) std::fill_n(cells + at + part * kChunk, count, 0);
    }
    cell += count;
  }
}

}  // namespace warpmark::cpu
