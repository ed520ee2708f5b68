// Chunks of cells, which the system gives pages to as they are touched.
#include "inspect/races/race_memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace warpmark::cpu {

void spread(RaceRow& row, const RaceCells& cells) {
  const auto fill = [&](std::uint64_t* to, std::uint64_t first, int shape) {
    if (first == 0 && row.spreads == 0) return;  // the cells are zero
    const std::uint64_t step = first == 0 ? 0 : std::uint64_t{1} << Record::kThreadShift;
    for (std::uint64_t cell = 0; cell < kRowCells; ++cell)
      to[cell] = first + (cell >> shape) * step;
  };
  fill(cells.write, row.write, row.write_shape);
  fill(cells.read, row.read, row.read_shape);
  fill(cells.other, row.other, row.other_shape);
  if (row.spreads < 255) ++row.spreads;
}

void RaceMemory::Unmap::operator()(std::byte* slab) const {
  munmap(slab, kSlab * kChunkBytes);
}

// Mapped and not from the heap, which would hand out memory that must be cleared, and so be touched
// from end to end even where a kernel touches little.
RaceRow* RaceMemory::make(std::uint64_t chunk) {
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
    slabs_.emplace_back(static_cast<std::byte*>(mapped));
  }
  auto* const rows = reinterpret_cast<RaceRow*>(slabs_.back().get() + in_slab * kChunkBytes);
  used_ += kChunkBytes;
  if (chunk >= kNear) return far_[chunk] = rows;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  return chunks_[chunk] = rows;
}

void RaceMemory::forget(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = ((address + bytes - 1 - begin_) >> shift_) + 1;
  for (std::uint64_t cell = (address - begin_) >> shift_; cell < end;) {
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    const std::uint64_t count = std::min(end - cell, kChunk - at);
    if (RaceRow* const rows = chunk_at(chunk); rows != nullptr) {
      for (std::uint64_t row = at / kRowCells; row * kRowCells < at + count; ++row) {
        const std::uint64_t begin = std::max(at, row * kRowCells);
        const std::uint64_t length = std::min(at + count, (row + 1) * kRowCells) - begin;
        if (length == kRowCells) {
          const std::uint8_t spreads = rows[row].spreads;
          rows[row] = {};
          rows[row].spreads = std::min<std::uint8_t>(spreads, 1);
          continue;
        }
        const RaceCells all = cells_of(rows);
        spread_rows(rows, all, begin, length, launch_);
        for (std::uint64_t* part : {all.write, all.read, all.other})
          std::fill_n(part + begin, length, 0);
      }
    }
    cell += count;
  }
}

}  // namespace warpmark::cpu
