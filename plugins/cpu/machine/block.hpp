// One thread block while it runs: its warps, their diverged fragments, barriers and memories.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/async.hpp"
#include "machine/barriers.hpp"
#include "machine/cluster.hpp"
#include "machine/launch_state.hpp"
#include "machine/mbarrier.hpp"
#include "machine/scheduler.hpp"
#include "machine/warp.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

/// The allocation granularity of a block's shared memory, on an H200 (results/h200/undefined.json),
/// in bytes.
inline constexpr std::uint64_t kSharedGranule = 128;

/// A block's state is explicit, so it can be left at any block boundary and resumed later: this
/// lets warps and thread blocks that wait for each other all make progress.
class BlockState final : public ObservedBlock {
 public:
  explicit BlockState(LaunchState& launch);

  /// Makes this the block of the given linear index, at its start.
  void start(std::uint64_t index) { start(index, own_cluster_, 0); }
  /// The same, as the block of this rank in a cluster.
  void start(std::uint64_t index, Cluster& cluster, std::uint32_t rank);

  /// A block is stuck if none of its threads could do anything, and some wait for other blocks of
  /// the cluster.
  enum class Progress : std::uint8_t { finished, paused, stuck };
  /// Runs all warps in turn until the block finishes, has had its share, or the launch stops.
  Progress run();

  [[nodiscard]] LaunchState& launch() const { return launch_; }
  [[nodiscard]] Cluster& cluster() const { return *cluster_; }
  [[nodiscard]] std::uint32_t live_threads() const { return live_threads_; }
  /// Bytes of shared memory that the kernel has requested.
  [[nodiscard]] std::uint32_t own_shared_bytes() const { return own_shared_bytes_; }
  [[nodiscard]] const Region& shared() const { return warps_[0].lanes.shared; }
  [[nodiscard]] AsyncCopies& async() { return async_; }
  /// Null if there are no checks beyond bounds.
  [[nodiscard]] BlockObserver* observer() const { return observer_.get(); }

  /// Tells the checks of an event, if there are any.
  template <auto Event, typename... Arguments>
  void tell(Arguments&&... arguments) {
    if (observer_) observer_->tell<Event>(arguments...);
  }

  // --- queries of observers
  [[nodiscard]] Fault fault(FaultKind kind, std::uint32_t statement, std::uint32_t warp,
                            std::uint32_t lanes) const override;
  [[nodiscard]] const Program& program() const override { return launch_.program; }
  [[nodiscard]] Arena& arena() const override { return launch_.arena; }
  [[nodiscard]] const std::array<std::uint32_t, 3>& grid() const override {
    return launch_.shape.grid;
  }
  [[nodiscard]] std::uint64_t grid_barrier() const override {
    return launch_.shape.workspace == 0 ? 0 : launch_.shape.workspace + 4;
  }
  std::size_t report(const Fault& fault) override { return launch_.faults.add(fault); }
  bool report_again(std::size_t place, std::uint32_t statement, std::uint32_t other) override {
    return launch_.faults.again(place, statement, other);
  }
  void serialize() override {
    if (launch_.speculation == nullptr) return;
    launch_.speculation->abandon();
    launch_.stop = true;
  }
  [[nodiscard]] const std::array<std::uint32_t, 3>& coordinates() const override {
    return coordinates_;
  }
  [[nodiscard]] std::array<std::uint32_t, 3> thread(std::uint32_t warp,
                                                    std::uint32_t lane) const override;
  [[nodiscard]] std::uint32_t lanes_that_left(std::uint32_t warp) const override;
  [[nodiscard]] std::uint32_t live_lanes(std::uint32_t warp) const override {
    return warps_[warp].live;
  }
  [[nodiscard]] std::uint32_t lanes_together(std::uint32_t warp) const override;
  [[nodiscard]] std::vector<std::uint32_t> calls_to(std::uint32_t statement, std::uint32_t warp,
                                                    std::uint32_t lane) const override;
  [[nodiscard]] std::uint32_t rank() const override { return rank_; }
  [[nodiscard]] std::uint32_t cluster_size() const override;
  [[nodiscard]] BlockObserver& observer_of(std::uint32_t rank) const override;
  void describe_access(const Lanes& lanes, const Instruction& instruction, Space space,
                       std::uint32_t lane, std::uint64_t address, std::uint32_t bytes, bool store,
                       Fault& fault) const override;
  [[nodiscard]] std::string array_at(const Instruction& instruction, Space space,
                                     std::uint64_t address) const override;

  // --- queries of debuggers (stepped.cpp)
  /// Where a thread is.
  struct Whereabouts {
    enum class State : std::uint8_t { left, runs, waits } state = State::left;
    bool known = false;           ///< false for the lanes that are about to execute
    std::uint32_t statement = 0;  ///< the next, or the one that it waits at
  };
  [[nodiscard]] Whereabouts where(std::uint32_t warp, std::uint32_t lane) const;
  /// A function that a thread is in.
  struct Frame {
    static constexpr std::size_t kLive = ~std::size_t{0};
    std::uint32_t statement = 0;  ///< where it is, or calls from
    std::uint32_t source = 0;     ///< of Program::sources
    std::uint64_t base = 0;       ///< of its variables, in the thread's local memory
    std::size_t saved = kLive;    ///< where a recursive call has saved its registers
  };
  /// The functions of a thread that is at a statement, innermost first.
  [[nodiscard]] std::vector<Frame> frames(std::uint32_t warp, std::uint32_t lane,
                                          std::uint32_t statement) const;
  struct RegisterValue {
    std::uint64_t low = 0, high = 0;
    std::uint32_t bits = 0;
  };
  /// The value of a register by its number among Function::registers; false for one that no
  /// instruction uses.
  bool register_in(const Frame& frame, std::uint32_t warp, std::uint32_t lane, std::uint32_t number,
                   RegisterValue& value) const;
  /// The host's memory of bytes of a thread; null if they are not within one allocation.
  [[nodiscard]] const std::byte* memory_at(Space space, std::uint64_t address, std::uint64_t bytes,
                                           std::uint32_t warp, std::uint32_t lane) const;

  /// A thread looks at an mbarrier, on which copies of any block of the cluster may complete.
  void settle(const std::byte* barrier);
  /// AsyncCopies::is_first_look by a warp of this block, in all blocks of the cluster.
  bool is_first_look(const std::byte* barrier, std::uint32_t warp);
  /// Called when an mbarrier was made, or a thread arrived at one.
  void mbarrier_changed() { ++mbarrier_changes_; }
  /// Called when a thread has tested whether the phase of an mbarrier is over. Ends the launch if
  /// all threads of the block have tested in vain so often that no thread is left that could end
  /// the phase.
  void mbarrier_tested(std::uint32_t warp, std::uint32_t lane, std::uint32_t statement,
                       const Mbarrier& barrier, bool over);
  void release_cluster_barrier();
  /// Reports which threads wait where, for threads that wait for ever.
  void report_deadlock();
  /// Reports which threads wait at the cluster's barrier, when another of its blocks is stuck for
  /// ever.
  void report_cluster_waits(const BlockState& stuck);
  /// Reports where every thread is and what it waits for, when a limit has ended the launch.
  void report_waits();
  /// Makes all accesses forget the allocation at `address`.
  void forget_regions(std::uint64_t address);
  /// Bytes of host memory that one block of this launch takes.
  static std::uint64_t footprint(const Program& program, const LaunchShape& shape);

 private:
  /// Counts how often a thread has tested mbarriers in vain since one last changed, and which last.
  struct Polls {
    std::uint64_t change = 0;
    std::uint32_t count = 0, statement = 0;
    std::uint64_t state = 0;  ///< the mbarrier's
  };
  void report_tests(std::uint32_t first);
  void lay_out_registers();
  /// Makes the registers those that a block begins with, but for special ones of its coordinates.
  void renew_registers();
  /// Sets up the bounds of accesses to shared memory, by Instruction::object.
  void lay_out_objects();
  // watched.cpp
  template <bool Stepped>
  void execute_watched(Warp& warp, std::uint32_t block, std::uint32_t mask, std::uint32_t done);
  /// The same if nothing is observed but coverage.
  void execute_covered(Warp& warp, std::uint32_t block, std::uint32_t mask, std::uint32_t done);
  /// False if the launch's stepper ends it before a statement, or before the end of a node.
  bool may_step(const Warp& warp, std::uint32_t mask, std::uint32_t statement);
  bool may_leave(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  [[nodiscard]] std::uint32_t source_of(std::uint32_t statement) const;
  [[nodiscard]] std::uint64_t slot_in(const Frame& frame, std::uint32_t warp, std::uint32_t lane,
                                      std::uint32_t slot, bool wide) const;
  /// Runs a warp until it is blocked, done, or has had its share. Returns true if it did anything.
  bool run_warp(Warp& warp);
  /// Moves a fragment to where its block's end leads. Returns false if it waits, or if another
  /// fragment continues.
  bool take_exit(Warp& warp, Fragment& current, const BasicBlock& node);
  bool go_on(const Warp& warp, Fragment& current, const BasicBlock& node);
  void take_branch(Warp& warp, Fragment& current, const BasicBlock& node);
  bool wait_for_cluster(Warp& warp, Fragment& current, const BasicBlock& node);
  /// Runs a node for some lanes, without the first instructions, which they have `done`.
  void execute(Warp& warp, std::uint32_t block, const BasicBlock& node, std::uint32_t mask,
               std::uint32_t done);
  void trap(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  // call.cpp; the lanes of `fragment` become separate fragments, joined where they meet
  void enter(Warp& warp, const Fragment& fragment, const BasicBlock& node);
  void return_from(Warp& warp, const Fragment& fragment, const BasicBlock& node);
  void fail_call(const Warp& warp, const Call& call, std::uint32_t mask, FaultKind kind,
                 const std::string& message);
  [[nodiscard]] std::uint64_t frame_of(const Warp& warp, std::uint32_t callee,
                                       std::uint32_t lane) const;
  void leave(Warp& warp, std::uint32_t mask, const BasicBlock& node);
  // cluster.cpp
  void arrive_at_cluster_barrier(Warp& warp, std::uint32_t mask, bool relaxed);
  void leave_cluster(Warp& warp, std::uint32_t mask);
  // waits.cpp
  [[nodiscard]] Wait wait_of(const Warp& warp, const Fragment& fragment) const;
  template <typename Wanted>
  void report_waits(FaultKind kind, Wanted wanted);
  [[nodiscard]] std::uint32_t thread_value(Special which, std::uint32_t warp,
                                           std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t launch_value(Special which) const;
  [[nodiscard]] std::optional<std::uint32_t> block_value(Special which) const;

  struct FreeDeleter {
    void operator()(std::byte* memory) const;
  };
  using Buffer = std::unique_ptr<std::byte[], FreeDeleter>;
  /// Memory with any contents.
  static Buffer buffer(std::uint64_t bytes);

  LaunchState& launch_;
  std::array<std::uint32_t, 3> coordinates_{};
  Buffer registers_, shared_, local_;
  std::uint64_t register_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  std::uint32_t own_shared_bytes_ = 0;  ///< without what the program reserves behind it
  std::vector<Region> objects_;
  std::vector<Warp> warps_;
  Scheduler scheduler_{launch_, warps_};
  Barriers barriers_{*this, launch_, warps_};
  std::uint64_t mbarrier_changes_ = 0;
  std::vector<Polls> polls_;  ///< by thread, if any has tested an mbarrier in vain
  std::uint64_t nothing_ahead_ = 0;
  const std::uint64_t* ahead_ = &nothing_ahead_;  ///< BlockObserver::ahead, if there is one
  std::uint32_t live_threads_ = 0;
  AsyncCopies async_;
  std::unique_ptr<BlockObserver> observer_;
  bool begun_ = false;        ///< a block has begun in these registers
  bool follows_all_ = false;  ///< BlockObserver::follows_all()
  bool watched_ = false;      ///< instructions are observed: traffic, undefined values, or coverage
  bool only_covers_ = false;  ///< … and nothing but coverage is
  bool values_alone_ = false;  ///< … and nothing but undefined values are
  bool stepped_ = false;       ///< a debugger may stop it
  Cluster own_cluster_{{this}, 0};
  Cluster* cluster_ = &own_cluster_;
  std::uint32_t rank_ = 0;
};

}  // namespace warpmark::cpu
