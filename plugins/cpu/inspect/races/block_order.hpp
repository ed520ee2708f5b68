// The order between a block's accesses and those of other threads, as synchronization gives it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "inspect/races/epoch.hpp"
#include "inspect/races/proxy_fences.hpp"
#include "inspect/races/synchronization.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

class ObservedBlock;

/// The part of the order that all blocks of a launch share.
struct LaunchOrder {
  LaunchOrder(Clock& the_clock, const Program& program);
  Clock& clock;
  Synchronization synchronization;
  /// True if threads may be ordered other than by a barrier of the whole block.
  bool in_part = false;
  bool splits_cluster_barrier = false;  ///< instructions lie between an arrival and its wait
  std::uint64_t grid_arrivals = 0;      ///< arrivals of blocks at the grid's barrier
  std::unordered_map<std::uint64_t, std::shared_ptr<ProxyFences>> proxy_fences;  ///< by block
};

/// The order of one block's accesses: its epochs, and what each of its warps has seen of others.
class BlockOrder {
 public:
  /// `block` tells which lanes have not exited; null if none has.
  BlockOrder(LaunchOrder& launch, std::uint32_t warps, const ObservedBlock* block = nullptr)
      : launch_(launch), block_(block), warps_(warps) {}
  /// Starts the block with linear index `index`. `first` is the order of its cluster's first block.
  void begin(std::uint64_t index, const BlockOrder& first);

  [[nodiscard]] std::uint64_t index() const { return index_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  /// The first epoch since the last barrier of all threads.
  [[nodiscard]] Epoch barrier() const { return barrier_; }
  /// The first epoch of the cluster's first block.
  [[nodiscard]] Epoch start() const { return start_; }
  [[nodiscard]] const LaunchOrder& launch() const { return launch_; }

  /// The number of the block that made an access of this launch. Copies that complete on an
  /// mbarrier count as another block's, since only the mbarrier orders them with the rest of the
  /// block.
  [[nodiscard]] std::uint64_t block_of(const Record& record) const {
    return launch_.clock.block(record.epoch());
  }
  static std::uint64_t without_engine(std::uint64_t block) { return block & ~kEngine; }
  /// Returns whether a record of this launch is of this block; before_barrier() tells of such a
  /// record whether it precedes the block's last barrier.
  [[nodiscard]] bool owns(const Record& record) const {
    return !record.in_flight() && block_of(record) == index_;
  }
  [[nodiscard]] bool before_barrier(const Record& record) const {
    return record.epoch() < barrier_;
  }
  /// Returns whether the warp's synchronizations put an access of this block before the access that
  /// a lane of the same warp makes now.
  [[nodiscard]] bool is_ordered_by_warp(const Record& before, std::uint32_t lane) const {
    return warp_ordered(warps_[before.warp()].syncs, before.epoch(), before.lane(), 1u << lane);
  }
  /// Returns whether an access of `block` happened before the access that a lane makes now,
  /// according to the releases that the lane has seen.
  [[nodiscard]] bool covers(std::uint32_t warp, std::uint32_t lane, const Record& before,
                            std::uint64_t block);
  /// The same for a strong write at the place of an object, which may itself be a release: a thread
  /// that has read its value there comes after it, with or without an acquire.
  [[nodiscard]] bool covers_at(std::uint64_t key, std::uint32_t warp, std::uint32_t lane,
                               const Record& before, std::uint64_t block) const;
  /// The synchronization that an access lacks to be covered, given that its thread may have read a
  /// release that comes after the other access.
  struct Lack {
    enum class What : std::uint8_t {
      everything,  ///< no such release was read
      acquire,     ///< a release was read, but not acquired
      /// The thread fenced only after a barrier with the threads that read the release: a warning.
      order,
    };
    What what = What::everything;
    std::uint32_t statement = 0;  ///< statement that has read the release
  };
  [[nodiscard]] Lack lack(std::uint32_t warp, std::uint32_t lane, const Record& before,
                          std::uint64_t block) const;
  /// The statement of a release that a lane has seen and that comes after a read of `block` only
  /// because the lanes of the read's warp were in step; kNone if there is none.
  [[nodiscard]] std::uint32_t released_in_step(std::uint32_t warp, std::uint32_t lane,
                                               const Record& before, std::uint64_t block) const;
  /// Returns whether an access of `block` happened before the access that any warp of this block
  /// makes now. With `in_step` as for Synchronization::covers().
  [[nodiscard]] bool is_seen(const Record& before, std::uint64_t block,
                             std::uint32_t* in_step = nullptr) const;
  /// True if some thread may have synchronized by a place in memory.
  [[nodiscard]] bool synchronizes() const { return !launch_.synchronization.empty(); }
  /// The epoch of a thread's last fence; 0: it had none.
  [[nodiscard]] Epoch fenced(std::uint32_t warp, std::uint32_t lane) const {
    return warps_[warp].fences[lane].epoch;
  }

  /// The synchronization key of a place in a block's shared memory. The key of a place in global
  /// memory is its address.
  static std::uint64_t shared_key(std::uint64_t block, std::uint64_t offset) {
    return std::uint64_t{1} << 63 | block << 20 | (offset & 0xfffff);
  }

  // --- synchronization by memory
  void fence(std::uint32_t warp, std::uint32_t mask, const Instruction& i);
  /// Handles a fence between the generic and another proxy, for `memory` as in ProxyMemory.
  void proxy_fence(std::uint32_t warp, std::uint32_t mask, std::uint8_t memory);
  /// Returns whether a proxy fence for `memory` lies between a write of block `writer` and the copy
  /// that a thread of this block makes now, if they are ordered at all (PTX ISA, "Proxy-preserved
  /// base causality order"): one that comes after the write, and before the copy.
  [[nodiscard]] bool proxied(const Record& before, std::uint64_t writer, std::uint32_t thread,
                             std::uint8_t memory);
  /// Handles a strong write. Returns false if it releases nothing.
  bool release(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// Handles a store that releases nothing.
  void begin_anew(std::uint64_t key) { launch_.synchronization.begin_anew(key); }
  /// Handles a strong read, which acquires at once or by a later fence.
  void read(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// Handles the arrival of a block, which has released at `key`, at the barrier of a grid of
  /// `blocks` blocks; the last arrival ends a phase. A thread that reads there sees that a phase
  /// has ended. It may also see arrivals for the next phase, but this is not guaranteed.
  void arrive_at_grid(std::uint64_t key, std::uint64_t blocks);
  void see_grid(std::uint32_t warp, std::uint32_t lane, const Instruction& i, std::uint64_t key);
  /// Handles the arrival of a thread at the mbarrier at address `barrier`.
  void arrive_at(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i);
  /// Completes a phase of an mbarrier with the arrivals and copies until now.
  void complete_phase(const std::byte* barrier);
  /// Handles a thread that has seen the mbarrier's last phase complete, or, for see_copies(), the
  /// copies that arrived there without a phase.
  void see_phase(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i);
  void see_copies(const std::byte* barrier, std::uint32_t warp);
  /// Handles the arrival of a thread's copy at an mbarrier. Returns the epoch of the copy's writes.
  Epoch copy_arrives(const std::byte* barrier, std::uint32_t thread);

  // --- synchronization by barriers: see BlockObserver
  void arrive(std::uint32_t warp, std::uint32_t mask, std::uint32_t number,
              std::uint32_t statement);
  void barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps);
  void warp_complete(std::uint32_t warp, std::uint32_t mask);
  /// Lanes that were at one place part from each other, where that decides what is released.
  void part(std::uint32_t warp, std::uint32_t mask);
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
    WarpView warp = {};
  };
  struct Warp {
    /// Recent answers of covers(): records, without their statements, that `seen` covers, and
    /// records that it does not cover.
    std::array<std::uint64_t, 64> covered{}, uncovered{};
    /// The same for single lanes, which the lowest bits of a record name.
    std::array<std::uint64_t, 64> covered_for{}, uncovered_for{};
    WarpSyncs syncs;                              ///< since the last barrier
    std::shared_ptr<const WarpSyncs> kept_syncs;  ///< the same, if some release has kept them
    Seen seen;                                    ///< what all lanes have seen
    std::vector<SeenByLanes> seen_by_lanes;
    /// Parts for which `seen_by_lanes` had no room; null if there are none.
    std::unique_ptr<std::array<Seen, 32>> seen_by_lane;
    std::vector<Observation> observed;  ///< by object
    /// Releases that fences have acquired in place of the threads that had read them. The memory
    /// model does not order these.
    Seen by_barrier;
    std::array<Fence, 32> fences{};        ///< last fence of each lane
    bool remembers = false;                ///< there are answers or fences above
    std::shared_ptr<const Fenced> fenced;  ///< fences of the threads that its threads met last
    bool fenced_anew = false;              ///< true if it fenced since the block's last barrier
  };

  static constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t live_lanes(std::uint32_t warp) const;
  /// Adds a part to what some lanes have seen.
  void see(std::uint32_t warp, std::uint32_t lanes, const SeenPart& part);
  void add_for_lanes(std::uint32_t warp, const SeenByLanes& seen);
  /// Merges what some lanes of a warp have seen, as they meet.
  void meet(std::uint32_t warp, std::uint32_t lanes);
  /// The union of what `lanes` have seen. Refers to the warp's `seen` if its lanes do not differ,
  /// otherwise to `merged`.
  [[nodiscard]] static const Seen& seen_by(const Warp& warp, std::uint32_t lanes, Seen& merged);
  static bool lanes_differ(const Warp& warp) {
    return !warp.seen_by_lanes.empty() || warp.seen_by_lane != nullptr;
  }
  void observe(std::uint32_t warp, const Observation& seen, const Instruction& i);
  static void note(Warp& warp, const Observation& seen);
  /// Passes releases that warps have read but not acquired to the warps that they meet.
  void share_observations(std::uint32_t to);
  void release_warp(SyncObject& object, std::uint32_t warp, std::uint32_t lanes,
                    std::uint32_t statement);
  static void put_sync(Warp& warp, const WarpSync& sync);
  static void forget_syncs(Warp& warp);
  [[nodiscard]] WarpView view_of(std::uint32_t warp, std::uint32_t lanes, std::uint32_t statement);
  void see_all(std::uint32_t warp, std::uint64_t key, Scope scope);
  void share_fences();                                        ///< among threads of the block
  void share_fences(std::uint32_t warp, std::uint32_t mask);  ///< among lanes of a warp
  [[nodiscard]] std::uint64_t barrier_key(std::uint32_t number) const;
  [[nodiscard]] bool lies_between(const ProxyFences& fences, std::uint64_t block,
                                  const Record& before, std::uint64_t writer, std::uint32_t thread,
                                  std::uint8_t memory);

  LaunchOrder& launch_;
  const ObservedBlock* block_;
  std::uint64_t index_ = 0;
  Epoch epoch_ = 0, barrier_ = 0, start_ = 0;
  std::uint32_t cluster_releases_ = 0;  ///< releases by arrivals at the cluster's last barrier
  std::vector<Warp> warps_;
  Fenced fenced_;  ///< current fences of all threads; empty before the first fence
  std::shared_ptr<ProxyFences> proxy_fences_;  ///< null before the first
};

}  // namespace warpmark::cpu
