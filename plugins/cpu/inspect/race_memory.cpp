// Chunks of cells, which the system gives pages to as they are touched.
#include "inspect/race_memory.hpp"

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

}  // namespace warpmark::cpu
