// Chunks of cells, which the system gives pages to as they are touched.
#include "inspect/race_memory.hpp"

#include <algorithm>
#include <cstdlib>

namespace warpmark::cpu {

void RaceMemory::FreeDeleter::operator()(std::uint64_t* cells) const {
  std::free(cells);
}

bool RaceMemory::make(std::uint64_t chunk) {
  constexpr std::uint64_t kBytes = 3 * kChunk * sizeof(std::uint64_t);
  if (used_ + kBytes > most_) {
    full_ = true;
    return false;
  }
  auto* cells = static_cast<std::uint64_t*>(std::calloc(1, kBytes));
  if (cells == nullptr) {
    full_ = true;
    return false;
  }
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  chunks_[chunk].reset(cells);
  used_ += kBytes;
  return true;
}

void RaceMemory::forget(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = ((address + bytes - 1 - begin_) >> shift_) + 1;
  for (std::uint64_t cell = (address - begin_) >> shift_; cell < end;) {
    const std::uint64_t chunk = cell / kChunk, at = cell % kChunk;
    const std::uint64_t count = std::min(end - cell, kChunk - at);
    if (chunk < chunks_.size() && chunks_[chunk]) {
      for (int part = 0; part < 3; ++part)
        std::fill_n(chunks_[chunk].get() + at + part * kChunk, count, 0);
    }
    cell += count;
  }
}

}  // namespace warpmark::cpu
