// One thread block while it runs: its warps, their diverged fragments, barriers and memories.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/async.hpp"
#include "machine/cluster.hpp"
#include "machine/device_launch.hpp"
#include "machine/mbarrier.hpp"
#include "machine/output.hpp"
#include "machine/seeded_schedule.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"
#include "program/program.hpp"

namespace warpmark::cpu {

class DeviceHeap;
struct Module;

/// Geometry and limits of a launch.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::vector<std::byte> parameters;
  std::uint64_t instruction_budget = 0;  ///< thread-instructions; 0 = none
  std::uint64_t wall_limit_ms = 0;       ///< 0 = none
  bool exact_bounds = true;
  Checks checks;  ///< beyond bounds; they need exact bounds, and the memory below
  InspectionMemory* inspection = nullptr;
  const TrafficMap* traffic = nullptr;  ///< of the program, if memory traffic is to be counted
  const struct ImageTable* images = nullptr;  ///< images that the kernel's handles name, or null
  std::uint32_t workers = 1;                  ///< threads of the host that execute blocks
  bool speculates = true;  ///< several threads also with checks: no launch was serialized yet
  std::uint64_t schedule_seed = 0;  ///< another order of blocks, warps and fragments; 0 = the usual
  std::array<std::uint32_t, 3> cluster{1, 1, 1};        ///< blocks; divides the grid
  bool explicit_cluster = false;                        ///< the kernel or the launch gave its size
  bool cooperative = false;                             ///< all blocks run at the same time
  std::uint64_t workspace = 0;                          ///< of a cooperative grid; run_grid sets it
  DeviceHeap* heap = nullptr;                           ///< if the program uses it
  std::uint64_t printf_bytes = std::uint64_t{1} << 20;  ///< of the launch's FIFO
  const Module* module = nullptr;  ///< of the kernel, if it may launch others of it
  std::uint32_t depth = 0;         ///< of launches by kernels that led here
};

class Turns;

/// The state that the blocks of a launch share.
struct LaunchState {
  LaunchState(const Program& the_program, const LaunchShape& the_shape, Arena& the_arena)
      : program(the_program),
        shape(the_shape),
        arena(the_arena),
        schedule(the_shape.schedule_seed, the_program),
        tally(the_program) {
    printed.limit = asserted.limit = the_shape.printf_bytes;
    if (the_shape.traffic != nullptr) traffic.emplace(*the_shape.traffic, the_shape.block[0]);
  }

  const Program& program;
  const LaunchShape& shape;
  Arena& arena;
  const SeededSchedule schedule;
  bool rotates = false;  ///< blocks take turns before they have ended
  FaultLog faults;
  PrintLog printed, asserted;  ///< for standard output, and for standard error
  DeviceLaunches device;
  std::uint64_t executed = 0;  ///< thread-instructions
  std::uint64_t warp_instructions = 0;
  std::uint64_t last = 0;  ///< thread-instructions after which a launch that has failed ends, or 0
  Tally tally;
  std::optional<TrafficCounts> traffic;  ///< set if traffic is counted
  /// Takes the counts since the last call, including visits. Must be called before Tally::take().
  Profile take_profile() { return traffic ? traffic->take(tally) : Profile{}; }
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool timed_out = false;  ///< the deadline has passed
  /// The number of `executed` at which the clock is looked at next within a turn, which recursion
  /// can make long.
  std::uint64_t next_look = 0;
  std::uint64_t clock_reads = 0;
  Turns* turns = nullptr;              ///< if blocks run in parallel, or in order
  std::uint64_t turn = 0;              ///< of the block that runs, if there are turns
  bool in_turn = false;                ///< all earlier blocks have retired
  bool parallel = false;               ///< others work on the same memory now
  LaunchObserver* observer = nullptr;  ///< if there are checks beyond bounds
  Speculation* speculation = nullptr;  ///< … and several threads run blocks
  std::uint64_t active = 1;            ///< blocks that have begun and not ended, in this thread
  bool stop = false;  ///< budget, wall limit or deadlock: the launch ends with error 702

  std::uint64_t random_state = 0;  ///< of the schedule
  /// A number below `end` > 0 that depends on the schedule's seed (the generator is splitmix64).
  std::uint32_t random(std::uint32_t end) {
    std::uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ z >> 31) % end);
  }

  [[nodiscard]] std::uint32_t threads() const {
    return shape.block[0] * shape.block[1] * shape.block[2];
  }
  [[nodiscard]] std::uint32_t warps() const { return (threads() + 31) / 32; }
};

/// Lanes of a warp that are at the beginning of the same block of the control-flow graph.
struct Fragment {
  enum class Wait : std::uint8_t { none, barrier, warp, collect, cluster, held };
  std::uint32_t node = 0;  ///< of Program::blocks
  std::uint32_t mask = 0;
  Wait wait = Wait::none;
  /// Number of the barrier, or the lane mask of bar.warp.sync; for a fragment that does not wait:
  /// the number of the node's instructions that it has executed.
  std::uint32_t key = 0;
  std::uint64_t yielded = 0;  ///< when it last let others run: a number of the block's yields_
  bool released = false;      ///< it has been held back before the node long enough
  /// True if it waits for other threads, not only because the schedule holds it back.
  [[nodiscard]] bool waits() const { return wait != Wait::none && wait != Wait::held; }
};

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

  /// A thread looks at an mbarrier, on which copies of any block of the cluster may complete.
  void settle(const std::byte* barrier);
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
  using Fragments = std::vector<Fragment>;
  struct Warp {
    Lanes lanes;
    std::uint32_t live = 0;             ///< lanes that have not exited
    std::uint32_t cluster_arrived = 0;  ///< live lanes for which the cluster's barrier waits on
    std::uint64_t instructions = 0;     ///< if traffic is counted
    std::uint64_t waited = 0;           ///< instructions of others that it waited for, likewise
    Fragments fragments;                ///< disjoint; those that wait included
    std::vector<Region> sites;
    std::array<std::uint64_t, 32> stack_top{};     ///< first free byte of local memory
    std::array<std::vector<std::byte>, 32> saved;  ///< registers of recursive calls

    /// Instructions along the longest chain that led here.
    [[nodiscard]] std::uint64_t clock() const { return instructions + waited; }
  };
  struct Barrier {
    std::uint32_t arrived = 0;   ///< threads
    std::uint32_t expected = 0;  ///< threads, if the instruction gave their number
    std::uint32_t yes = 0;       ///< of those that arrived at a counting barrier
    bool counts = false;
    bool passed = false;       ///< some thread that arrived does not wait
    std::uint64_t latest = 0;  ///< greatest Warp::clock() of the threads that arrived
  };
  /// Counts how often a thread has tested mbarriers in vain since one last changed.
  struct Polls {
    std::uint64_t change = 0;
    std::uint32_t count = 0;
  };
  void lay_out_registers();
  /// Sets up the bounds of accesses to shared memory, by Instruction::object.
  void lay_out_objects();
  void execute_watched(Warp& warp, const BasicBlock& node, std::uint32_t mask, std::uint32_t done);
  /// Runs a warp until it is blocked, done, or has had its share. Returns true if it did anything.
  bool run_warp(Warp& warp);
  /// Moves a fragment to where its block's end leads. Returns false if it waits, or if another
  /// fragment continues.
  bool take_exit(Warp& warp, Fragment& current, const BasicBlock& node);
  void take_branch(Warp& warp, Fragment& current, const BasicBlock& node);
  bool meet_warp(Warp& warp, Fragment& current, const BasicBlock& node);
  bool wait_for_cluster(Warp& warp, Fragment& current, const BasicBlock& node);
  /// Returns true if nothing more is to run: the budget is spent, or there are enough reports.
  bool launch_ends();
  bool take_fragment(Warp& warp, Fragment& fragment, bool rotate);
  // seeded_schedule.cpp
  void begin_schedule();
  void shuffle_warps();
  /// The number of blocks of the graph that a warp may run before it gives way.
  std::uint64_t seeded_share();
  /// The fragment that runs first, of those that can.
  Fragments::iterator choose_fragment(Warp& warp, Fragments::iterator usual);
  /// Returns whether the launch ends because its time is over.
  bool over_time();
  bool looks_at_clock();
  /// Runs all warps in turn. Returns true if any has done something.
  bool run_round();
  /// Runs a warp for as long as it can run. Returns true if it has done something.
  bool run_ranked(Warp& warp);
  /// Returns whether a fragment has to wait at its node, and marks it as held if so.
  bool hold_back(Fragment& fragment);
  [[nodiscard]] bool holds_any() const;
  /// Called after a round. If no other thread has made progress for long enough, releases one of
  /// the held fragments and returns true.
  bool outwait(bool progress);
  static bool take_own(Warp& warp, Fragment& current);
  /// Runs a node for some lanes, without the first instructions, which they have `done`.
  void execute(Warp& warp, std::uint32_t block, std::uint32_t mask, std::uint32_t done);
  void arrive(Warp& warp, Fragment fragment, const BasicBlock& node);
  /// True if the lanes need not wait: all live lanes of each one's mask are in `mask`.
  [[nodiscard]] static bool complete(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void arrive_at_warp_barrier(Warp& warp, Fragment fragment, const BasicBlock& node);
  /// Passes a bar.warp.sync at which no lane has to wait to the observer, with the lanes of `mask`
  /// that meet.
  void observe_warp_barrier(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void trap(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void release_warp_barriers(Warp& warp);
  /// Returns whether lanes that wait before two nodes wait for each other.
  [[nodiscard]] bool same_operation(std::uint32_t node, std::uint32_t other) const;
  void run_together(Warp& warp, const std::vector<Fragment>& places);
  // call.cpp; the lanes of `fragment` become separate fragments, joined where they meet
  void enter(Warp& warp, const Fragment& fragment, const BasicBlock& node);
  void return_from(Warp& warp, const Fragment& fragment, const BasicBlock& node);
  void fail_call(const Warp& warp, const Call& call, std::uint32_t mask, FaultKind kind,
                 const std::string& message);
  [[nodiscard]] std::uint64_t frame_of(const Warp& warp, std::uint32_t callee,
                                       std::uint32_t lane) const;
  void leave(Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void check_barrier(std::uint32_t number);
  /// The greatest of all warps' clocks.
  [[nodiscard]] std::uint64_t latest_clock() const;
  // cluster.cpp
  void arrive_at_cluster_barrier(Warp& warp, std::uint32_t mask, bool relaxed);
  void leave_cluster(Warp& warp, std::uint32_t mask);
  // waits.cpp
  [[nodiscard]] Wait wait_of(const Warp& warp, const Fragment& fragment) const;
  template <typename Wanted>
  void report_waits(FaultKind kind, Wanted wanted);
  /// Tells the checks of an event, if there are any.
  template <auto Event, typename... Arguments>
  void tell(Arguments&&... arguments) {
    if (observer_) observer_->tell<Event>(arguments...);
  }
  [[nodiscard]] std::uint32_t thread_value(Special which, std::uint32_t warp,
                                           std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t launch_value(Special which) const;
  [[nodiscard]] std::optional<std::uint32_t> block_value(Special which) const;
  static void add_fragment(Warp& warp, const Fragment& fragment);
  [[nodiscard]] std::uint32_t uniform(const Warp& warp, std::uint32_t slot,
                                      std::uint32_t mask) const;

  struct FreeDeleter {
    void operator()(std::byte* memory) const;
  };
  using Buffer = std::unique_ptr<std::byte[], FreeDeleter>;
  static Buffer buffer(std::uint64_t bytes);

  LaunchState& launch_;
  std::array<std::uint32_t, 3> coordinates_{};
  Buffer registers_, image_, shared_, local_;
  std::uint64_t register_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  std::uint32_t own_shared_bytes_ = 0;  ///< without what the program reserves behind it
  std::vector<Region> objects_;
  std::vector<Warp> warps_;
  std::array<Barrier, 16> barriers_{};
  std::uint64_t mbarrier_changes_ = 0;
  std::vector<Polls> polls_;  ///< by thread, if any has tested an mbarrier in vain
  std::uint64_t nothing_ahead_ = 0;
  const std::uint64_t* ahead_ = &nothing_ahead_;  ///< BlockObserver::ahead, if there is one
  std::uint32_t live_threads_ = 0;
  AsyncCopies async_;
  std::unique_ptr<BlockObserver> observer_;
  bool watched_ = false;  ///< instructions are observed one by one: traffic, or undefined values
  Cluster own_cluster_{{this}, 0};
  Cluster* cluster_ = &own_cluster_;
  std::uint32_t rank_ = 0;
  std::uint64_t yields_ = 0;          ///< of fragments that looped for long
  std::vector<std::uint32_t> order_;  ///< of the warps in a round

  // --- of a schedule's seed
  bool polled_ = false;                        ///< the warp that ran last polled for other threads
  bool gave_way_ = false;                      ///< the warp that ran last could have continued
  bool preempted_ = false;                     ///< the warp that ran last was preempted
  bool gets_on_ = false;                       ///< in the last round some warp did more than poll
  std::uint32_t first_lane_ = 0;               ///< lanes are ranked by their number ^ this
  std::uint32_t preemptions_ = 0, holds_ = 0;  ///< numbers that are left
  std::uint32_t idle_ = 0;                     ///< rounds without progress
};

}  // namespace warpmark::cpu
