// Following releases and what those who released had seen themselves.
#include "inspect/synchronization.hpp"

#include <algorithm>
#include <utility>

namespace warpmark::cpu {

bool Seen::add(const SyncObject* object, std::uint32_t releases) {
  if (everything_ || releases == 0) return false;
  const auto at = std::lower_bound(
      seen_.begin(), seen_.end(), object,
      [](const Part& part, const SyncObject* key) { return std::less<>()(part.object, key); });
  if (at != seen_.end() && at->object == object) {
    if (at->releases >= releases) return false;
    at->releases = releases;
  } else if (seen_.size() >= kMost) {
    seen_.clear();
    everything_ = true;
  } else {
    seen_.insert(at, {object, releases});
  }
  return true;
}

void Seen::merge(const Seen& other) {
  if (everything_) return;
  if (other.everything_) {
    seen_.clear();
    everything_ = true;
    return;
  }
  if (seen_.empty()) {
    seen_ = other.seen_;
    return;
  }
  for (const Part& part : other.seen_) add(part.object, part.releases);
}

bool SyncObject::release(const Release& release, const Seen& seen) {
  const auto index = static_cast<std::uint32_t>(releases_.size());
  // Who polls by swapping releases the same again and again.
  const auto made = latest_.try_emplace(release.block << 10 | release.thread, index);
  const auto latest = made.first;
  const bool repeated = !made.second && releases_[latest->second].repeats(release);
  if (repeated) releases_[latest->second].access = release.access;
  const auto add = [&] {
    latest->second = index;
    releases_.push_back(release);
    by_block_[release.block].push_back(index);
    by_warp_[warp_key(release.block, release.thread / 32)].push_back(index);
    return true;
  };
  if (seen.empty()) return !repeated && add();
  // What was seen at this object itself is no news: whoever sees this release sees those before.
  Seen merged = merged_.empty() ? Seen{} : *merged_.back().seen;
  const std::size_t before = merged.seen_.size();
  bool news = merged.everything_ != (merged.everything_ || seen.everything_);
  for (const Seen::Part& part : seen.seen_) {
    if (part.object == this) continue;
    const auto known = std::find_if(merged.seen_.begin(), merged.seen_.end(),
                                    [&](const Seen::Part& p) { return p.object == part.object; });
    news = news || known == merged.seen_.end() || known->releases < part.releases;
    merged.add(part.object, part.releases);
  }
  if (seen.everything_) merged.merge(seen);
  news = news || merged.seen_.size() != before;
  if (news) merged_.push_back({index, std::make_shared<const Seen>(std::move(merged))});
  return (news || !repeated) && add();
}

bool warp_ordered(const std::vector<WarpSync>& syncs, Epoch then, std::uint32_t lane,
                  std::uint32_t other) {
  std::uint32_t reached = 1u << lane;
  for (const WarpSync& sync : syncs) {
    if (sync.epoch > then && (sync.mask & reached) != 0) reached |= sync.mask;
  }
  return (reached >> other & 1) != 0;
}

bool SyncObject::released(const Record& record, std::uint64_t block, std::uint64_t reader,
                          std::uint32_t releases) const {
  const auto latest = latest_.find(block << 10 | record.thread());
  if (latest == latest_.end() || latest->second >= releases) return false;
  const Release& release = releases_[latest->second];
  return record.epoch() <= release.access && (!release.block_only || block == reader);
}

bool Synchronization::covers(const Seen& seen, const Record& record, std::uint64_t block,
                             std::uint64_t reader, const SyncObject* own) const {
  if (seen.everything_ || full()) {
    guessed_ = true;
    return true;
  }
  // Releases of the access's block and warp that are looked at. Later ones cover more, but for
  // their scopes; other lanes of the warp may have released what bar.warp.sync had put before it.
  constexpr std::size_t kLatest = 256;
  ++calls_;
  std::vector<Seen::Part> next(seen.seen_.begin(), seen.seen_.end());
  while (!next.empty()) {
    const Seen::Part part = next.back();
    next.pop_back();
    const std::uint32_t before =
        std::exchange(part.object->call_, calls_) == calls_ ? part.object->looked_at_ : 0;
    if (before >= part.releases) continue;
    part.object->looked_at_ = part.releases;
    if (part.object == own && own->released(record, block, reader, part.releases)) return true;
    const auto any = [&](const SyncObject::Indices& all, std::uint64_t key, auto covered) {
      const auto found = all.find(key);
      if (found == all.end()) return false;
      const std::vector<std::uint32_t>& indices = found->second;
      auto at = std::lower_bound(indices.begin(), indices.end(), part.releases);
      for (std::size_t looked = 0; at != indices.begin() && looked < kLatest; ++looked) {
        const Release& release = part.object->releases_[*--at];
        if (release.block_only && block != reader) continue;
        if (covered(release)) return true;
      }
      return false;
    };
    if (any(part.object->by_block_, block, [&](const Release& release) {
          if (record.epoch() < release.barrier) return true;
          if (release.fenced == nullptr) return false;
          const std::vector<Epoch>& fenced =
              block == reader ? release.fenced->block : release.fenced->device;
          return record.epoch() <= fenced[record.thread()];
        }))
      return true;
    // Other lanes of the warp that released: bar.warp.sync before it is likely, and taken for
    // granted once the epochs differ.
    if (any(part.object->by_warp_, SyncObject::warp_key(block, record.warp()),
            [&](const Release& release) {
              return record.thread() == release.thread ? record.epoch() <= release.epoch
                                                       : record.epoch() < release.epoch;
            }))
      return true;
    const auto& merged = part.object->merged_;
    for (auto at = merged.rbegin(); at != merged.rend(); ++at) {
      if (at->from >= part.releases) continue;
      if (at->seen->everything_) {
        guessed_ = true;
        return true;
      }
      next.insert(next.end(), at->seen->seen_.begin(), at->seen->seen_.end());
      break;
    }
  }
  return false;
}

}  // namespace warpmark::cpu
