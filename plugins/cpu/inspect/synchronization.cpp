// Following releases and what those who released had seen themselves.
#include "inspect/synchronization.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpmark::cpu {

void Seen::add(const SyncObject* object, std::uint32_t releases) {
  if (everything_ || releases == 0) return;
  const auto at = std::lower_bound(
      seen_.begin(), seen_.end(), object,
      [](const Part& part, const SyncObject* key) { return std::less<>()(part.object, key); });
  if (at != seen_.end() && at->object == object) {
    at->releases = std::max(at->releases, releases);
  } else if (seen_.size() >= kMost) {
    seen_.clear();
    everything_ = true;
  } else {
    seen_.insert(at, {object, releases});
  }
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

void SyncObject::release(const Release& release, const Seen& seen) {
  const auto index = static_cast<std::uint32_t>(releases_.size());
  releases_.push_back(release);
  by_block_[release.block].push_back(index);
  if (seen.empty()) return;
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
  if (news || merged.seen_.size() != before)
    merged_.push_back({index, std::make_shared<const Seen>(std::move(merged))});
}

bool warp_ordered(const std::vector<WarpSync>& syncs, Moment then, std::uint32_t lane,
                  std::uint32_t other) {
  std::uint32_t reached = 1u << lane;
  for (const WarpSync& sync : syncs) {
    if (sync.moment > then && (sync.mask & reached) != 0) reached |= sync.mask;
  }
  return (reached >> other & 1) != 0;
}

bool Synchronization::covers(const Seen& seen, const Record& record, std::uint64_t block,
                             std::uint64_t reader) const {
  if (seen.everything_) return true;
  // Releases of the access's own warp that are looked at: other lanes of it may have released what
  // bar.warp.sync had put before their release.
  constexpr std::size_t kLatest = 256;
  std::map<const SyncObject*, std::uint32_t> visited;
  std::vector<Seen::Part> next(seen.seen_.begin(), seen.seen_.end());
  while (!next.empty()) {
    const Seen::Part part = next.back();
    next.pop_back();
    std::uint32_t& done = visited[part.object];
    if (done >= part.releases) continue;
    done = part.releases;
    const auto of_block = part.object->by_block_.find(block);
    if (of_block != part.object->by_block_.end()) {
      const std::vector<std::uint32_t>& indices = of_block->second;
      auto at = std::lower_bound(indices.begin(), indices.end(), part.releases);
      for (std::size_t looked = 0; at != indices.begin() && looked < kLatest; ++looked) {
        const Release& release = part.object->releases_[*--at];
        if (release.block_only && block != reader) continue;
        if (record.moment() < release.barrier) return true;
        // Other lanes of the warp that released: bar.warp.sync before it is likely, and taken for
        // granted once the moments differ.
        if (record.thread() == release.thread
                ? record.moment() <= release.moment
                : record.warp() == release.thread / 32 && record.moment() < release.moment)
          return true;
      }
    }
    const auto& merged = part.object->merged_;
    for (auto at = merged.rbegin(); at != merged.rend(); ++at) {
      if (at->from >= part.releases) continue;
      if (at->seen->everything_) return true;
      next.insert(next.end(), at->seen->seen_.begin(), at->seen->seen_.end());
      break;
    }
  }
  return false;
}

}  // namespace warpmark::cpu
