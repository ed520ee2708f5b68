// Which accesses are in order with those of a block's threads, as threads synchronize.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "inspect/epoch.hpp"
#include "inspect/synchronization.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// What the blocks of a launch share of it.
struct LaunchOrder {
  LaunchOrder(Clock& the_clock, const Program& program);
  Clock& clock;
  Synchronization synchronization;
  /// Threads may be in order with some of those whom they do not meet at a barrier of all.
  bool in_part = false;
  bool splits_cluster_barrier = false;  ///< something is between an arrival and its wait
  std::uint64_t grid_arrivals = 0;      ///< of blocks at the grid's barrier
  std::unordered_map<std::uint64_t, Epoch>
      proxied;  ///< of blocks: the last proxy fence of a thread
};

/// The order of one block's accesses: its epochs, and what each of its warps has seen of others.
class BlockOrder {
 public:
  /// `block` says which lanes are still there; null: all are.
  BlockOrder(LaunchOrder& launch, std::uint32_t warps, const ObservedBlock* block = nullptr)
      : launch_(launch), block_(block), warps_(warps) {}
  /// The block starts anew, as that of a linear index. `first` is that of its cluster's first block.
  void begin(std::uint64_t index, const BlockOrder& first);

  [[nodiscard]] std::uint64_t index() const { return index_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  /// The first epoch since the last barrier of all threads.
  [[nodiscard]] Epoch barrier() const { return barrier_; }
  /// The first epoch of the cluster's first block.
  [[nodiscard]] Epoch start() const { return start_; }
  [[nodiscard]] const LaunchOrder& launch() const { return launch_; }

  /// Whose an access of this launch was: a block's number. Copies that mbarriers are told of count
  /// as those of another one, since nothing in the block but the mbarrier is in order with them.
  [[nodiscard]] std::uint64_t block_of(const Record& record) const {
    return launch_.clock.block(record.epoch());
  }
  static std::uint64_t without_engine(std::uint64_t block) { return block & ~kEngine; }
  /// Whether a record of this launch is of this block, and if so, of before its last barrier.
  [[nodiscard]] bool owns(const Record& record) const {
    return !record.in_flight() && block_of(record) == index_;
  }
  [[nodiscard]] bool before_barrier(const Record& record) const {
    return record.epoch() < barrier_;
  }
  /// Whether an access of this block's thread has happened before what a lane of its warp does now.
  [[nodiscard]] bool is_ordered_by_warp(const Record& before, std::uint32_t lane) const {
    return warp_ordered(warps_[before.warp()].syncs, before.epoch(), before.lane(), lane);
  }
  /// Whether an access of `block` has happened before what a lane of a warp does now, as far as the
  /// lane knows.
  [[nodiscard]] bool covers(std::uint32_t warp, std::uint32_t lane, const Record& before,
                            std::uint64_t block);
  /// The same of a strong write, which may have released at the place of an object itself: whoever has
  /// read there what it made of it comes after it, acquire or not.
  [[nodiscard]] bool covers_at(std::uint64_t key, std::uint32_t warp, std::uint32_t lane,
                               const Record& before, std::uint64_t block) const;
  /// What an access lacks that covers() knows nothing of, though its thread has read a release that
  /// comes after the other access.
  struct Lack {
    enum class What : std::uint8_t {
      everything,  ///< no such release was read
      acquire,     ///< it was read, but not acquired
      /// … and met those who read it at a barrier, and only then has a fence: a warning.
      order,
    };
    What what = What::everything;
    std::uint32_t statement = 0;  ///< what has read the release
  };
  [[nodiscard]] Lack lack(std::uint32_t warp, std::uint32_t lane, const Record& before,
                          std::uint64_t block) const;
  /// … before what any warp of the block does now.
  [[nodiscard]] bool is_seen(const Record& before, std::uint64_t block) const;
  /// Somebody may have synchronized by a place in memory.
  [[nodiscard]] bool synchronizes() const { return !launch_.synchronization.empty(); }
  /// The epoch of a thread's last fence; 0: it had none.
  [[nodiscard]] Epoch fenced(std::uint32_t warp, std::uint32_t lane) const {
    return warps_[warp].fences[lane].epoch;
  }

  /// What stands for a place in a block's shared memory; an address stands for one in global memory.
  static std::uint64_t shared_key(std::uint64_t block, std::uint64_t offset) {
    return std::uint64_t{1} << 63 | block << 20 | (offset & 0xfffff);
  }

  // --- by memory
  void fence(std::uint32_t warp, std::uint32_t mask, const Instruction& i);
  /// A fence between the generic and the async proxy.
  void proxy_fence(std::uint32_t warp, std::uint32_t mask);
  /// Whether such a fence lies between a write of `block` and what a thread of this block has copied
  /// now, if they are in order at all (PTX ISA, "Proxy-preserved base causality order").
  [[nodiscard]] bool proxied(const Record& before, std::uint64_t block, std::uint32_t thread) const;
  /// A strong write. False: it releases nothing.
  bool release(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// A store that releases nothing.
  void begin_anew(std::uint64_t key) { launch_.synchronization.begin_anew(key); }
  /// A strong read: it acquires at once, or a fence behind it does.
  void read(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// A block arrives at the barrier of a grid of so many, a place where it has released; the last
  /// one ends a phase. Who reads there knows that a phase has ended, and may well see arrivals for
  /// the next one, but need not.
  void arrive_at_grid(std::uint64_t key, std::uint64_t blocks);
  void see_grid(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// A thread arrives at the mbarrier that lies at `barrier`.
  void arrive_at(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i);
  /// The arrivals and copies until now have completed a phase of it.
  void complete_phase(const std::byte* barrier);
  /// A thread has seen its last phase complete, or, without a phase, copies that arrived there.
  void see_phase(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i);
  void see_copies(const std::byte* barrier, std::uint32_t warp);
  /// A copy by a thread arrives there. Returns the epoch of what it has written.
  Epoch copy_arrives(const std::byte* barrier, std::uint32_t thread);

  // --- by barriers: see BlockObserver
  void arrive(std::uint32_t warp, std::uint32_t number);
  void barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps);
  void warp_complete(std::uint32_t warp, std::uint32_t mask);
  void cluster_release(std::uint64_t key);
  void cluster_acquire(std::uint64_t key);
  void cluster_arrive(std::uint32_t warp, std::uint32_t mask, std::uint64_t key, bool relaxed);
  void cluster_complete(std::uint64_t key);
  void cluster_wait(std::uint32_t warp, std::uint64_t key);

 private:
  static constexpr std::uint64_t kEngine = Synchronization::kEngine;
  struct Fence {
    Epoch epoch = 0, barrier = 0;
    Scope scope = Scope::device;
  };
  struct Warp {
    /// Records without their statements, of what was seen, and of what `seen` does not cover.
    std::array<std::uint64_t, 64> covered{}, uncovered{};
    /// The same of single lanes, which the lowest bits name.
    std::array<std::uint64_t, 64> covered_for{}, uncovered_for{};
    std::vector<WarpSync> syncs;  ///< since the last barrier
    Seen seen;                    ///< by all lanes
    std::vector<SeenByLanes> seen_by_lanes;
    /// What found no room there; null: nothing.
    std::unique_ptr<std::array<Seen, 32>> seen_by_lane;
    std::vector<Observation> observed;  ///< by object
    /// What fences have acquired in place of those who have read it. The model does not order it.
    Seen by_barrier;
    std::array<Fence, 32> fences{};        ///< the last of each lane
    std::shared_ptr<const Fenced> fenced;  ///< of those whom its threads met last
    bool fenced_anew = false;              ///< since a barrier of the block
  };

  static constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t live_lanes(std::uint32_t warp) const;
  /// Some lanes see an object.
  void see(std::uint32_t warp, std::uint32_t lanes, const SeenPart& part);
  void add_for_lanes(std::uint32_t warp, const SeenByLanes& seen);
  /// Some lanes of a warp meet: each has seen what the others have.
  void meet(std::uint32_t warp, std::uint32_t lanes);
  /// What any of some lanes has seen, all lanes' included: the warp's own where lanes do not differ, or
  /// else `merged`.
  [[nodiscard]] static const Seen& seen_by(const Warp& warp, std::uint32_t lanes, Seen& merged);
  static bool lanes_differ(const Warp& warp) {
    return !warp.seen_by_lanes.empty() || warp.seen_by_lane != nullptr;
  }
  void observe(std::uint32_t warp, const Observation& seen, const Instruction& i);
  static void note(Warp& warp, const Observation& seen);
  /// Warps hand on what their threads have read, but not acquired, as they meet.
  void share_observations(std::uint32_t to);
  void release_warp(SyncObject& object, std::uint32_t warp);
  void see_all(std::uint32_t warp, std::uint64_t key, Scope scope);
  void share_fences();                                        ///< of the block
  void share_fences(std::uint32_t warp, std::uint32_t mask);  ///< of lanes of a warp
  [[nodiscard]] std::uint64_t barrier_key(std::uint32_t number) const;

  LaunchOrder& launch_;
  const ObservedBlock* block_;
  std::uint64_t index_ = 0;
  Epoch epoch_ = 0, barrier_ = 0, start_ = 0;
  std::uint32_t cluster_releases_ = 0;  ///< by those who arrived at the cluster's last barrier
  std::vector<Warp> warps_;
  std::vector<Epoch> proxied_;  ///< by thread: its last proxy fence; empty before the first
  Epoch proxied_last_ = 0;      ///< of any thread
  Epoch proxied_barrier_ = 0;   ///< … that came before the block's last barrier
  Fenced fenced_;               ///< of all threads, as it is now; empty before the first fence
};

}  // namespace warpmark::cpu
