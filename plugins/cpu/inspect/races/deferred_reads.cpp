#include "inspect/races/deferred_reads.hpp"

#include <bit>
#include <cstddef>

#define WARPMARK_ISA deferred
#include "inspect/races/race_lanes.hpp"

namespace warpmark::cpu {
namespace {

using Read = DeferredReads::Read;
constexpr Space kSpace = Space::shared;

// Each read settles, because only reads have happened there since the barrier.
void record_one(BlockRaces& races, const Read& read,
                const std::vector<DeferredReads::Places>& all) {
  deferred::Now now{read.record, races.threshold(kSpace), races.block_start(),
                    0,           &races.order(),          read.readers};
  const int shift = std::countr_zero(read.bytes) - races.shift(kSpace);
  const auto broadcast = [&](std::uint32_t start, std::uint32_t mask) {
    deferred::settle_broadcast(races.cells(kSpace, start, read.bytes), 1 << shift, mask, now);
  };
  switch (read.kind) {
    case Read::Kind::contiguous:
      deferred::settle_run<kSpace, false>(races, read.starts[0], read.bytes, shift, now);
      return;
    case Read::Kind::broadcast:
      return broadcast(read.starts[0], read.mask);
    case Read::Kind::rows:
      for (std::uint32_t group = 0; group < read.starts.size(); ++group) {
        const std::uint32_t start = read.starts[group];
        if ((read.at_one >> group & 1) != 0) {
          broadcast(start, 0xffu << 8 * group);
          continue;
        }
        now.mine = read.record + (std::uint64_t{8 * group} << Record::kThreadShift);
        deferred::settle_contiguous<kSpace, false>(
            races.cells(kSpace, start, std::uint64_t{8} * read.bytes), 8 << shift, shift, now);
        now.mine = read.record;
      }
      return;
    case Read::Kind::scattered:
      for (std::uint32_t rest = read.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        broadcast(all[read.starts[0]][lane], 1u << lane);
      }
  }
}

}  // namespace

void DeferredReads::record(BlockRaces& races) {
  range_ = {};  // before the records are asked for
  for (const Read& read : reads_) record_one(races, read, places_);
  made_ += reads_.size();
  reads_.clear();
  forget();
}

}  // namespace warpmark::cpu
