#include "memory/kept_memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::optional<KeptMemory> KeptMemory::of(Arena& arena, std::uint64_t most) {
  std::uint64_t total = 0;
  arena.each_reached([&](const Arena& one) {
    one.each_live(0, kAll, [&](const Allocation&, std::uint64_t, std::uint64_t bytes) {
      total += std::min(bytes, kAll - total);
    });
  });
  if (total > most) return std::nullopt;
  KeptMemory kept(arena);
  arena.each_reached([&](const Arena& one) {
    one.each_live(0, kAll, [&](const Allocation& allocation, std::uint64_t at, std::uint64_t size) {
      Piece piece{&one, at, {one.host(at), one.host(at) + size}, allocation.init, {}};
      if (piece.init != nullptr)
        piece.values.assign(piece.init.get(), piece.init.get() + (size + 7) / 8);
      kept.pieces_.push_back(std::move(piece));
    });
  });
  return kept;
}

void KeptMemory::put_back() {
  for (const Piece& piece : pieces_) {
    if (!piece.bytes.empty())
      std::memcpy(piece.arena->host(piece.address), piece.bytes.data(), piece.bytes.size());
    std::ranges::copy(piece.values, piece.init.get());
  }
  arena_->partial_bytes() = partial_;
}

}  // namespace warpmark::cpu
