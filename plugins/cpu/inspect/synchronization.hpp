// Which accesses of other threads have happened before those that a thread makes now.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/epoch.hpp"

namespace warpmark::cpu {

class SyncObject;

/// Whom an operation of the memory model synchronizes with (PTX ISA, "Scope"). The system's scope
/// counts as the device's.
enum class Scope : std::uint8_t { block, cluster, device };

/// What has been seen of an object: its releases before the so many-th, as an acquire of that scope
/// by a thread of `block` sees them.
struct SeenPart {
  const SyncObject* object = nullptr;
  std::uint32_t releases = 0;
  Scope scope = Scope::device;
  std::uint64_t block = 0;
};

/// How far a thread has seen the releases of objects by which threads synchronize.
class Seen {
 public:
  /// Takes over what another has seen.
  void merge(const Seen& other);
  /// True if that is more than what was seen.
  bool add(const SeenPart& part);
  /// It counts as having seen all there is: what it has seen cannot be kept.
  void give_up() {
    seen_.clear();
    everything_ = true;
  }
  [[nodiscard]] bool empty() const { return !everything_ && seen_.empty(); }
  void clear() { *this = {}; }

  // More is given up: whoever synchronizes by so many objects is taken to have seen everything.
  static constexpr std::size_t kMost = 2048;

 private:
  friend class Synchronization;
  friend class SyncObject;
  bool everything_ = false;
  std::vector<SeenPart> seen_;  ///< by object, block and scope
};

/// Releases that a thread has read without acquiring them: by a relaxed load, or by an acquire whose
/// scope may be too narrow. A fence of that thread acquires them later.
struct Observation {
  const SyncObject* object = nullptr;
  std::uint32_t releases = 0;
  std::uint32_t lanes = 0;      ///< of the warp, that have read it themselves
  std::uint32_t met = 0;        ///< … that have met such a thread at a barrier since
  std::uint32_t statement = 0;  ///< the last that read it
};

/// What some lanes of a warp have seen, and others not.
struct SeenByLanes {
  SeenPart part;
  std::uint32_t lanes = 0;
};

/// Lanes of a warp that wait for each other at bar.warp.sync put their accesses in order.
struct WarpSync {
  Epoch epoch = 0;  ///< the first one after it
  std::uint32_t mask = 0;
};

/// How far the fences of each thread of a block reach: its accesses of that epoch and earlier.
struct Fenced {
  /// By scope and thread. A fence of a wider scope is one of the narrower ones, too.
  std::array<std::vector<Epoch>, 3> of;
  bool narrow = false;  ///< some are not of the device's scope
};

/// What one thread makes visible to whoever sees its release.
struct Release {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  Epoch epoch = 0;    ///< its own accesses until then, this epoch included
  Epoch barrier = 0;  ///< those of its block before this epoch
  Scope scope = Scope::device;
  /// What others of the block had fenced when this thread met them at a barrier; null: nothing.
  std::shared_ptr<const Fenced> fenced = nullptr;
  Epoch access = 0;  ///< of the write itself that releases, at the object's own place
  /// Whether it says the same of all other accesses.
  [[nodiscard]] bool repeats(const Release& other) const {
    return block == other.block && thread == other.thread && epoch == other.epoch &&
           barrier == other.barrier && scope == other.scope && fenced == other.fenced;
  }
};

/// A place in memory by which threads synchronize (a flag, a lock, a counter), or a barrier of some
/// of a block's threads.
class SyncObject {
 public:
  /// True if it says something new.
  bool release(const Release& release, const Seen& seen);
  [[nodiscard]] std::uint32_t releases() const {
    return static_cast<std::uint32_t>(releases_.size());
  }
  /// Of an mbarrier: a phase ends. Who waits for it sees what was released until then, and not what
  /// others have released for the next phase.
  void complete_phase() { completed_ = releases(); }
  [[nodiscard]] std::uint32_t completed() const { return completed_; }
  /// Who sees its releases must tell for which block: some are not for everybody.
  [[nodiscard]] bool is_narrow() const { return narrow_; }

 private:
  friend class Synchronization;
  struct Merged {
    std::uint32_t from;  ///< release
    std::shared_ptr<const Seen> seen;
  };
  using Indices = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;
  /// Whether an access of a thread was, or came before, one by which it released here, among the
  /// first `releases`. Null: no.
  [[nodiscard]] const Release* released(const Record& record, std::uint64_t block,
                                        std::uint32_t releases) const;
  static std::uint64_t warp_key(std::uint64_t block, std::uint32_t warp) {
    return block << 5 | warp;
  }
  std::vector<Release> releases_;
  bool narrow_ = false;
  std::uint32_t completed_ = 0;  ///< releases before the end of the last phase
  Indices by_block_, by_warp_;   ///< releases
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;  ///< release of each thread
  std::vector<Merged> merged_;  ///< what those who released until then had seen
  /// How many releases Synchronization::covers() has looked at for everybody, in which of its calls.
  mutable std::uint32_t looked_at_ = 0;
  mutable std::uint64_t call_ = 0;
};

/// The synchronizing objects of a launch. Orders are those of the PTX memory model (PTX ISA,
/// "Memory Consistency Model"): a release, or a fence before a strong write, synchronizes with an
/// acquire that reads it, or with a fence behind a strong read, if the scope of each holds the other
/// thread.
class Synchronization {
 public:
  /// The object at a global address, or of another kind that the caller keeps numbers for.
  SyncObject& at(std::uint64_t key) { return objects_[key]; }
  [[nodiscard]] const SyncObject* find(std::uint64_t key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : &found->second;
  }
  /// A store there that releases nothing: who sees it learns nothing of the releases before. (An
  /// atomic operation that reads and writes hands them on; PTX ISA, "Observation".)
  void begin_anew(std::uint64_t key) {
    if (auto node = objects_.extract(key)) covered_.push_back(std::move(node));
  }
  /// Nobody has synchronized by an object yet.
  [[nodiscard]] bool empty() const { return objects_.empty(); }
  /// Whether an access of a thread of `block` is among what `seen` covers. If it was a write at the
  /// place of the object `own` it may have released itself.
  [[nodiscard]] bool covers(const Seen& seen, const Record& record, std::uint64_t block,
                            const SyncObject* own = nullptr) const;
  /// Whether it is a write by which its thread released at the object of `part`, or came before it.
  [[nodiscard]] bool is_release(const SeenPart& part, const Record& record,
                                std::uint64_t block) const {
    const Release* release = part.object->released(record, block, part.releases);
    return release != nullptr && release->scope >= needed(block, part.block);
  }
  /// A block is in the cluster of that first block.
  void join_cluster(std::uint64_t block, std::uint64_t first) {
    if (block != first) clusters_[block] = first;
  }
  /// Of a block's number: its copies (BlockOrder::block_of).
  static constexpr std::uint64_t kEngine = std::uint64_t{1} << 57;
  void release(SyncObject& object, const Release& release, const Seen& seen) {
    if (!full() && object.release(release, seen)) ++releases_;
  }
  /// No more is kept of what is released.
  [[nodiscard]] bool full() const { return releases_ >= kMost; }
  /// More than is kept was released or seen, so that some accesses count as ordered for want of it.
  [[nodiscard]] bool exhausted() const { return guessed_; }

 private:
  // More are not kept (some hundred megabytes): everything then counts as seen.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 22;
  [[nodiscard]] Scope needed(std::uint64_t one, std::uint64_t other) const;
  [[nodiscard]] std::uint64_t cluster_of(std::uint64_t block) const {
    const auto found = clusters_.find(block);
    return found == clusters_.end() ? block : found->second;
  }
  [[nodiscard]] bool covers_by(const SeenPart& part, const Record& record, std::uint64_t block,
                               const SyncObject* own) const;
  std::uint64_t releases_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> clusters_;  ///< first blocks of blocks
  mutable bool guessed_ = false;     ///< covers() was asked for what is not known
  mutable std::uint64_t calls_ = 0;  ///< of covers()
  // Nodes do not move, so Seen may hold pointers.
  std::unordered_map<std::uint64_t, SyncObject> objects_;
  std::vector<std::unordered_map<std::uint64_t, SyncObject>::node_type> covered_;
};

/// Whether `lane`'s accesses of epoch `then` have happened before what `other` does now, by the
/// synchronizations of their warp.
bool warp_ordered(const std::vector<WarpSync>& syncs, Epoch then, std::uint32_t lane,
                  std::uint32_t other);

}  // namespace warpmark::cpu
