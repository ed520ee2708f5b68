// Happens-before: the accesses of other threads that precede those that a thread makes now.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/races/epoch.hpp"

namespace warpmark::cpu {

class SyncObject;

/// The threads that an operation of the memory model can synchronize with (PTX ISA, "Scope").
/// System scope counts as device scope.
enum class Scope : std::uint8_t { block, cluster, device };

/// The part of an object that has been seen: its first `releases` releases, as an acquire of
/// `scope` by a thread of `block` sees them.
struct SeenPart {
  const SyncObject* object = nullptr;
  std::uint32_t releases = 0;
  Scope scope = Scope::device;
  std::uint64_t block = 0;
};

/// The releases that a thread has seen, of all objects by which threads synchronize.
class Seen {
 public:
  /// Adds everything that `other` has seen.
  void merge(const Seen& other);
  /// Adds a part. Returns true if it was not seen before.
  bool add(const SeenPart& part);
  /// Counts as having seen everything, because there is no room for what it has seen.
  void give_up() {
    seen_.clear();
    everything_ = true;
  }
  [[nodiscard]] bool empty() const { return !everything_ && seen_.empty(); }
  void clear() { *this = {}; }

  // A thread that has seen more parts than this is taken to have seen everything.
  static constexpr std::size_t kMost = 2048;

 private:
  friend class Synchronization;
  friend class SyncObject;
  bool everything_ = false;
  std::vector<SeenPart> seen_;  ///< by object, block and scope
};

/// Releases that a thread has read without acquiring them: by a relaxed load, or by an acquire
/// whose scope may be too narrow. A later fence of that thread acquires them.
struct Observation {
  const SyncObject* object = nullptr;
  std::uint32_t releases = 0;
  std::uint32_t lanes = 0;      ///< lanes of the warp that have read it themselves
  std::uint32_t met = 0;        ///< lanes that have met such a thread at a barrier since
  std::uint32_t statement = 0;  ///< the last statement that read it
};

/// A part that some lanes of a warp have seen and others have not.
struct SeenByLanes {
  SeenPart part;
  std::uint32_t lanes = 0;
};

/// Lanes of a warp that wait for each other at bar.warp.sync put their accesses in order.
struct WarpSync {
  Epoch epoch = 0;  ///< the first epoch after the synchronization
  std::uint32_t mask = 0;
  /// The lanes did not wait for each other: they were at one place, and parted there. That orders
  /// nothing, but on every GPU the one follows what the others have read.
  bool in_step = false;
};
using WarpSyncs = std::vector<WarpSync>;

/// The lanes of a warp that did something before a release of some of them.
struct WarpView {
  std::uint32_t lanes = 0;                           ///< those that release
  std::uint32_t beside = 0;                          ///< those that are at the same place
  std::uint32_t statement = 0;                       ///< of the release, or of its fence
  std::shared_ptr<const WarpSyncs> syncs = nullptr;  ///< since the block's last barrier; null: none
};

/// The last epoch that each thread of a block has fenced: the fence covers its accesses of that
/// epoch and earlier.
struct Fenced {
  /// By scope and thread. A fence of a wider scope is one of the narrower ones, too.
  std::array<std::vector<Epoch>, 3> of;
  bool narrow = false;  ///< true if some fences are narrower than device scope
};

/// The accesses that a thread makes visible to every thread that sees its release.
struct Release {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  Epoch epoch = 0;    ///< covers its own accesses up to and including this epoch
  Epoch barrier = 0;  ///< covers accesses of its block before this epoch
  Scope scope = Scope::device;
  WarpView warp = {};  ///< of its warp, when it released or fenced
  /// The fences of other threads of the block when this thread met them at a barrier; null: none.
  std::shared_ptr<const Fenced> fenced = nullptr;
  Epoch access = 0;  ///< epoch of the releasing write itself, at the object's own place
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t previous = kNone;  ///< the one of the same thread before it, at this object
  /// True if `other` covers the same accesses, apart from the releasing write.
  [[nodiscard]] bool repeats(const Release& other) const {
    return block == other.block && thread == other.thread && epoch == other.epoch && shares(other);
  }
  /// True if `other` covers the same accesses of threads that it met at a barrier.
  [[nodiscard]] bool shares(const Release& other) const {
    return barrier == other.barrier && scope == other.scope && fenced == other.fenced;
  }
  /// Returns whether an access of its warp is before it, with `in_step` also if only lanes that are
  /// at the same place put it there.
  [[nodiscard]] bool follows(const Record& record, bool in_step) const;
};

/// A place in memory by which threads synchronize (a flag, a lock, a counter), or a barrier of some
/// of a block's threads.
class SyncObject {
 public:
  /// Adds a release. Returns true if it covers more than the releases before.
  bool release(const Release& release, const Seen& seen);
  [[nodiscard]] std::uint32_t releases() const {
    return static_cast<std::uint32_t>(releases_.size());
  }
  /// Ends a phase of an mbarrier. A thread that waits for the phase sees the releases until then,
  /// but not the releases of other threads for the next phase.
  void complete_phase() { completed_ = releases(); }
  [[nodiscard]] std::uint32_t completed() const { return completed_; }
  /// True if some releases are narrower than device scope, so that a block must be named to see
  /// them.
  [[nodiscard]] bool is_narrow() const { return narrow_; }

 private:
  friend class Synchronization;
  struct Merged {
    std::uint32_t from;  ///< number of releases
    std::shared_ptr<const Seen> seen;
  };
  using Indices = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;
  /// Finds a release, among the first `releases`, that is this access or comes after it in the same
  /// thread. Null if there is none.
  [[nodiscard]] const Release* released(const Record& record, std::uint64_t block,
                                        std::uint32_t releases) const;
  static std::uint64_t warp_key(std::uint64_t block, std::uint32_t warp) {
    return block << 5 | warp;
  }
  std::vector<Release> releases_;
  bool narrow_ = false;
  std::uint32_t completed_ = 0;  ///< releases before the end of the last phase
  Indices by_block_, by_warp_;   ///< indices of releases; by_block_ of the first of equal ones
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;  ///< last release of each thread
  std::vector<Merged> merged_;  ///< what the releasing threads had seen until then
  /// The number of releases that Synchronization::covers() has looked at for all blocks, and in
  /// which of its calls.
  mutable std::uint32_t looked_at_ = 0;
  mutable std::uint64_t call_ = 0;
};

/// The synchronizing objects of a launch. Orders are those of the PTX memory model (PTX ISA,
/// "Memory Consistency Model"): a release, or a fence before a strong write, synchronizes with an
/// acquire that reads it, or with a fence after a strong read, if the scope of each holds the other
/// thread.
class Synchronization {
 public:
  /// The object at a global address, or of another kind that the caller keeps numbers for.
  SyncObject& at(std::uint64_t key) { return objects_[key]; }
  [[nodiscard]] const SyncObject* find(std::uint64_t key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : &found->second;
  }
  /// Handles a store that releases nothing: a thread that reads it does not see earlier releases.
  /// (An atomic operation that reads and writes passes them on; PTX ISA, "Observation".)
  void begin_anew(std::uint64_t key) {
    if (auto node = objects_.extract(key)) covered_.push_back(std::move(node));
  }
  /// True if no thread has synchronized by an object yet.
  [[nodiscard]] bool empty() const { return objects_.empty(); }
  /// Returns whether `seen` covers an access of a thread of `block`. A write at the place of the
  /// object `own` may itself have been a release. With `in_step` releases also cover what lanes of
  /// their warps did in step; it becomes the statement of such a release.
  [[nodiscard]] bool covers(const Seen& seen, const Record& record, std::uint64_t block,
                            const SyncObject* own = nullptr,
                            std::uint32_t* in_step = nullptr) const;
  /// Returns whether an access is a write by which its thread released at the object of `part`, or
  /// came before such a write.
  [[nodiscard]] bool is_release(const SeenPart& part, const Record& record,
                                std::uint64_t block) const {
    const Release* release = part.object->released(record, block, part.releases);
    return release != nullptr && release->scope >= needed(block, part.block);
  }
  /// Records that a block is in the cluster whose first block is `first`.
  void join_cluster(std::uint64_t block, std::uint64_t first) {
    if (block != first) clusters_[block] = first;
  }
  /// The bit of a block's number that marks its asynchronous copies (BlockOrder::block_of).
  static constexpr std::uint64_t kEngine = std::uint64_t{1} << 57;
  void release(SyncObject& object, const Release& release, const Seen& seen) {
    if (!full() && object.release(release, seen)) ++releases_;
  }
  /// True if no further releases are kept.
  [[nodiscard]] bool full() const { return releases_ >= kMost; }
  /// True if more was released or seen than could be kept, so that some accesses count as ordered
  /// only for lack of records.
  [[nodiscard]] bool exhausted() const { return guessed_; }

 private:
  // The largest number of releases kept (some hundred megabytes); beyond it everything counts as
  // seen.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22;
  [[nodiscard]] Scope needed(std::uint64_t one, std::uint64_t other) const;
  [[nodiscard]] std::uint64_t cluster_of(std::uint64_t block) const {
    const auto found = clusters_.find(block);
    return found == clusters_.end() ? block : found->second;
  }
  [[nodiscard]] bool covers_by(const SeenPart& part, const Record& record, std::uint64_t block,
                               const SyncObject* own, std::uint32_t* in_step) const;
  std::uint64_t releases_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> clusters_;  ///< first block of a block's cluster
  mutable bool guessed_ = false;     ///< true if covers() answered without the records it needed
  mutable std::uint64_t calls_ = 0;  ///< calls of covers()
  // Nodes do not move, so Seen may hold pointers.
  std::unordered_map<std::uint64_t, SyncObject> objects_;
  std::vector<std::unordered_map<std::uint64_t, SyncObject>::node_type> covered_;
};

/// Returns whether the synchronizations of a warp put accesses that `lane` made in epoch `then`
/// before what one of the lanes `others` does now. With `in_step` those count, too, that are so.
bool warp_ordered(const WarpSyncs& syncs, Epoch then, std::uint32_t lane, std::uint32_t others,
                  bool in_step = false);

}  // namespace warpmark::cpu
