// Following releases and what those who released had seen themselves.
#include "inspect/races/synchronization.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace warpmark::cpu {

namespace {

// For everybody: the block does not matter.
constexpr std::uint64_t kAnyBlock = ~std::uint64_t{0};

bool comes_before(const SeenPart& one, const SeenPart& other) {
  if (one.object != other.object) return std::less<>()(one.object, other.object);
  return std::pair(one.block, one.scope) < std::pair(other.block, other.scope);
}

bool same_kind(const SeenPart& one, const SeenPart& other) {
  return one.object == other.object && one.block == other.block && one.scope == other.scope;
}

}  // namespace

bool Seen::add(const SeenPart& part) {
  if (everything_ || part.releases == 0) return false;
  SeenPart kept = part;
  if (kept.scope == Scope::device && !kept.object->is_narrow()) kept.block = kAnyBlock;
  const auto at = std::lower_bound(seen_.begin(), seen_.end(), kept, comes_before);
  if (at != seen_.end() && same_kind(*at, kept)) {
    if (at->releases >= kept.releases) return false;
    at->releases = kept.releases;
  } else if (seen_.size() >= kMost) {
    give_up();
  } else {
    seen_.insert(at, kept);
  }
  return true;
}

void Seen::merge(const Seen& other) {
  if (everything_) return;
  if (other.everything_) return give_up();
  if (seen_.empty()) {
    seen_ = other.seen_;
    return;
  }
  for (const SeenPart& part : other.seen_) add(part);
}

bool SyncObject::release(const Release& release, const Seen& seen) {
  const auto index = static_cast<std::uint32_t>(releases_.size());
  // A thread that polls by swapping repeats the same release many times.
  const auto made = latest_.try_emplace(release.block << 10 | release.thread, index);
  const auto latest = made.first;
  const bool repeated = !made.second && releases_[latest->second].repeats(release);
  if (repeated) releases_[latest->second].access = release.access;
  const auto add = [&] {
    releases_.push_back(release);
    if (!made.second) releases_.back().previous = latest->second;
    latest->second = index;
    narrow_ = narrow_ || release.scope != Scope::device ||
              (release.fenced != nullptr && release.fenced->narrow);
    std::vector<std::uint32_t>& of_block = by_block_[release.block];
    if (of_block.empty() || !releases_[of_block.back()].shares(release)) of_block.push_back(index);
    by_warp_[warp_key(release.block, release.thread / 32)].push_back(index);
    return true;
  };
  if (seen.empty()) return !repeated && add();
  // Releases seen at this object itself add nothing: a thread that sees this release also sees the
  // earlier ones.
  Seen merged = merged_.empty() ? Seen{} : *merged_.back().seen;
  bool news = merged.everything_ != (merged.everything_ || seen.everything_);
  for (const SeenPart& part : seen.seen_) {
    if (part.object != this) news = merged.add(part) || news;
  }
  if (seen.everything_) merged.merge(seen);
  if (news) merged_.push_back({index, std::make_shared<const Seen>(std::move(merged))});
  return (news || !repeated) && add();
}

bool warp_ordered(const WarpSyncs& syncs, Epoch then, std::uint32_t lane, std::uint32_t others,
                  bool in_step) {
  std::uint32_t reached = 1u << lane;
  for (const WarpSync& sync : syncs) {
    if (sync.epoch > then && (sync.mask & reached) != 0 && (in_step || !sync.in_step))
      reached |= sync.mask;
  }
  return (reached & others) != 0;
}

bool Release::follows(const Record& record, bool in_step) const {
  if (record.epoch() > epoch) return false;
  const std::uint32_t together = in_step ? warp.lanes | warp.beside : warp.lanes;
  return (together >> record.lane() & 1) != 0 ||
         (warp.syncs != nullptr &&
          warp_ordered(*warp.syncs, record.epoch(), record.lane(), together, in_step));
}

const Release* SyncObject::released(const Record& record, std::uint64_t block,
                                    std::uint32_t releases) const {
  const auto latest = latest_.find(block << 10 | record.thread());
  if (latest == latest_.end() || latest->second >= releases) return nullptr;
  const Release& release = releases_[latest->second];
  return record.epoch() <= release.access ? &release : nullptr;
}

// The narrowest scope that holds threads of both blocks. Copies tell whoever waits for them.
Scope Synchronization::needed(std::uint64_t one, std::uint64_t other) const {
  if (one == other || (one & kEngine) != 0) return Scope::block;
  if (other == kAnyBlock || clusters_.empty()) return Scope::device;
  return cluster_of(one) == cluster_of(other) ? Scope::cluster : Scope::device;
}

bool Synchronization::covers_by(const SeenPart& part, const Record& record, std::uint64_t block,
                                const SyncObject* own, std::uint32_t* in_step) const {
  // The number of releases by the access's block and warp that are examined, the latest first.
  // Later ones cover more, except for their scopes; other lanes of the warp may have released
  // accesses that bar.warp.sync had ordered before the release.
  constexpr std::size_t kLatest = 256;
  const Scope scope = needed(block, part.block);
  if (part.scope < scope) return false;
  const auto reaches = [&](const Release& release) {
    return part.block == kAnyBlock || release.scope >= scope;
  };
  const SyncObject& object = *part.object;
  if (part.object == own) {
    const Release* release = own->released(record, block, part.releases);
    if (release != nullptr && reaches(*release)) return true;
  }
  const auto any = [&](const SyncObject::Indices& all, std::uint64_t key, auto covered) {
    const auto found = all.find(key);
    if (found == all.end()) return false;
    const std::vector<std::uint32_t>& indices = found->second;
    auto at = std::lower_bound(indices.begin(), indices.end(), part.releases);
    for (std::size_t looked = 0; at != indices.begin() && looked < kLatest; ++looked) {
      const Release& release = object.releases_[*--at];
      if (reaches(release) && covered(release)) return true;
    }
    return false;
  };
  if (any(object.by_block_, block, [&](const Release& release) {
        if (record.epoch() < release.barrier) return true;
        if (release.fenced == nullptr) return false;
        return record.epoch() <=
               release.fenced->of.at(static_cast<std::size_t>(scope))[record.thread()];
      }))
    return true;
  // A thread's own later releases cover more.
  const auto latest = object.latest_.find(block << 10 | record.thread());
  std::uint32_t own_one = latest == object.latest_.end() ? Release::kNone : latest->second;
  for (std::size_t looked = 0; own_one != Release::kNone && looked < kLatest; ++looked) {
    const Release& release = object.releases_[own_one];
    if (release.epoch < record.epoch()) break;
    if (own_one < part.releases && reaches(release)) return true;
    own_one = release.previous;
  }
  return any(object.by_warp_, SyncObject::warp_key(block, record.warp()),
             [&](const Release& release) {
               if (!release.follows(record, in_step != nullptr)) return false;
               if (in_step != nullptr && !release.follows(record, false))
                 *in_step = release.warp.statement;
               return true;
             });
}

bool Synchronization::covers(const Seen& seen, const Record& record, std::uint64_t block,
                             const SyncObject* own, std::uint32_t* in_step) const {
  if (seen.everything_ || full()) {
    guessed_ = true;
    return true;
  }
  ++calls_;
  std::vector<SeenPart> next(seen.seen_.begin(), seen.seen_.end());
  const auto order = [](const SeenPart& one, const SeenPart& other) {
    return comes_before(one, other);
  };
  std::map<SeenPart, std::uint32_t, decltype(order)> looked_at(order);  // of narrow ones
  while (!next.empty()) {
    const SeenPart part = next.back();
    next.pop_back();
    if (part.block != kAnyBlock) {
      std::uint32_t& before = looked_at[part];
      if (before >= part.releases) continue;
      before = part.releases;
    } else {
      const bool before = std::exchange(part.object->call_, calls_) == calls_ &&
                          part.object->looked_at_ >= part.releases;
      if (before) continue;
      part.object->looked_at_ = part.releases;
    }
    if (covers_by(part, record, block, own, in_step)) return true;
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
