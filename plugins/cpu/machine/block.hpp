// One thread block while it runs: its warps, their diverged fragments, barriers and memories.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "inspect/fault.hpp"
#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/tally.hpp"
#include "inspect/traffic.hpp"
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
  const TrafficMap* traffic = nullptr;  ///< of the program, if what accesses move is to be counted
  const struct ImageTable* images = nullptr;  ///< what the kernel's handles may mean, if anything
  std::uint32_t workers = 1;                  ///< threads of the host that execute blocks
  bool speculates = true;  ///< … with checks, too: no earlier launch of the kernel was serialized
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

/// What the blocks of a launch share.
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
  std::optional<TrafficCounts> traffic;  ///< if it is counted
  /// What was counted since the last call, visits included; before Tally::take().
  Profile take_profile() { return traffic ? traffic->take(tally) : Profile{}; }
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool timed_out = false;  ///< the deadline has passed
  /// The number of `executed` at which the clock is looked at next within a turn, which recursion can
  /// make long.
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

/// Lanes of a warp that stand at the beginning of the same block of the control-flow graph.
struct Fragment {
  enum class Wait : std::uint8_t { none, barrier, warp, collect, cluster, held };
  std::uint32_t node = 0;  ///< of Program::blocks
  std::uint32_t mask = 0;
  Wait wait = Wait::none;
  /// Number of the barrier, or the lane mask of bar.warp.sync; of a fragment that does not wait: it
  /// has made the first instruction of the node.
  std::uint32_t key = 0;
  std::uint64_t yielded = 0;  ///< when it last let others run: a number of the block's yields_
  bool released = false;      ///< it was held back before the node long enough
  /// Whether it waits for other threads; the schedule alone holds others back.
  [[nodiscard]] bool waits() const { return wait != Wait::none && wait != Wait::held; }
};

/// Of a block's shared memory, on an H200 (results/h200/undefined.json).
inline constexpr std::uint64_t kSharedGranule = 128;

/// A block's state is explicit, so it can be left at any block boundary and resumed later: that is
/// what lets warps and thread blocks that wait for each other all make progress.
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
  /// A fault of the lanes of a warp at a statement, less what is wrong with it.
  [[nodiscard]] Fault fault(FaultKind kind, std::uint32_t statement, std::uint32_t warp,
                            std::uint32_t lanes) const;
  /// Bytes of it that the kernel has asked for.
  [[nodiscard]] std::uint32_t own_shared_bytes() const { return own_shared_bytes_; }
  [[nodiscard]] const Region& shared() const { return warps_[0].lanes.shared; }
  [[nodiscard]] AsyncCopies& async() { return async_; }
  /// Null if there is nothing to look for beyond bounds.
  [[nodiscard]] BlockObserver* observer() const { return observer_.get(); }

  // --- what observers ask
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
  /// An mbarrier has been made, or somebody has arrived.
  void mbarrier_changed() { ++mbarrier_changes_; }
  /// A thread has looked whether the phase of an mbarrier is over. Ends the launch if all threads
  /// of the block have looked so often in vain that nobody is left who could end the phase.
  void mbarrier_tested(std::uint32_t warp, std::uint32_t lane, std::uint32_t statement,
                       const Mbarrier& barrier, bool over);
  void release_cluster_barrier();
  /// Says who waits where, for threads that wait for ever.
  void report_deadlock();
  /// Says who waits at the cluster's barrier, when another of its blocks is stuck for ever.
  void report_cluster_waits(const BlockState& stuck);
  /// Says where every thread is and what it waits for, when a limit has ended the launch.
  void report_waits();
  /// No access may use what it remembers of the allocation at `address`.
  void forget_regions(std::uint64_t address);
  /// Bytes of host memory that one block of this launch takes.
  static std::uint64_t footprint(const Program& program, const LaunchShape& shape);

 private:
  using Fragments = std::vector<Fragment>;
  struct Warp {
    Lanes lanes;
    std::uint32_t live = 0;             ///< lanes that have not left
    std::uint32_t cluster_arrived = 0;  ///< live lanes for which the cluster's barrier waits on
    std::uint64_t instructions = 0;     ///< if traffic is counted
    std::uint64_t waited = 0;           ///< … instructions of others that went on meanwhile
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
    bool passed = false;                           ///< somebody who arrived does not wait
    std::uint32_t statement = Instruction::kNone;  ///< where the first of those who wait stands
    std::uint32_t first = 0;                       ///< … and which thread that is, in its block
    std::uint64_t bit = 0;                         ///< … and its BasicBlock::barrier_bit
    std::uint64_t latest = 0;                      ///< Warp::clock() of those who arrived
    std::vector<std::uint32_t> calls;              ///< … and Fault::calls
  };
  /// How often a thread has looked at mbarriers in vain, since one last changed.
  struct Polls {
    std::uint64_t change = 0;
    std::uint32_t count = 0;
  };
  /// Who has first gone past a barrier for good.
  struct Passer {
    std::uint32_t statement = 0, thread = 0;
    const char* hazard = nullptr;        ///< of the first report, which is that of all
    std::vector<std::uint32_t> calls{};  ///< as Fault::calls
  };

  void lay_out_registers();
  /// What accesses to shared memory must stay in, by Instruction::object.
  void lay_out_objects();
  void execute_watched(Warp& warp, const BasicBlock& node, std::uint32_t mask, std::uint32_t done);
  /// Runs a warp until it is blocked, done, or has had its share. True if it did anything.
  bool run_warp(Warp& warp);
  /// A fragment goes where its block's end leads; false if it waits, or what goes on is another.
  bool take_exit(Warp& warp, Fragment& current, const BasicBlock& node);
  void take_branch(Warp& warp, Fragment& current, const BasicBlock& node);
  bool meet_warp(Warp& warp, Fragment& current, const BasicBlock& node);
  bool wait_for_cluster(Warp& warp, Fragment& current, const BasicBlock& node);
  /// Nothing is to run any more: the budget is spent, or the reports are enough.
  bool launch_ends();
  bool take_fragment(Warp& warp, Fragment& fragment, bool rotate);
  // seeded_schedule.cpp
  void begin_schedule();
  void shuffle_warps();
  /// How many blocks of the graph a warp may run through before it gives way.
  std::uint64_t seeded_share();
  /// The fragment that goes first, of those that can.
  Fragments::iterator choose_fragment(Warp& warp, Fragments::iterator usual);
  /// Whether the launch ends, which it does after its time.
  bool over_time();
  bool looks_at_clock();
  /// All warps in turn; true if any has done something.
  bool run_round();
  /// A warp goes on for as long as it can; true if it has done something.
  bool run_ranked(Warp& warp);
  /// Whether a fragment has to wait where it stands, which it is told.
  bool hold_back(Fragment& fragment);
  [[nodiscard]] bool holds_any() const;
  /// After a round: lets one go on of those who are held back, if nobody else has got on for long
  /// enough; then true.
  bool outwait(bool progress);
  static bool take_own(Warp& warp, Fragment& current);
  /// Runs a node for some lanes, without the first instructions, which they have `done`.
  void execute(Warp& warp, std::uint32_t block, std::uint32_t mask, std::uint32_t done);
  void arrive(Warp& warp, Fragment fragment, const BasicBlock& node);
  /// True if the lanes need not wait: all live lanes of each one's mask are in `mask`.
  [[nodiscard]] static bool complete(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void arrive_at_warp_barrier(Warp& warp, Fragment fragment, const BasicBlock& node);
  [[nodiscard]] class BlockOrder* split_cluster_barrier() const;
  /// Passes a bar.warp.sync where nobody need wait to the observer: who of `mask` meets whom.
  void observe_warp_barrier(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  [[nodiscard]] std::uint32_t statement_of_wait(const Fragment& fragment) const;
  // synccheck.cpp
  void check_members(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void check_aligned(const Warp& warp, std::uint32_t mask, const BasicBlock& next);
  void check_present(const Warp& warp, std::uint32_t mask, std::uint32_t members,
                     std::uint32_t statement, std::uint32_t node);
  void check_meeting(const Warp& warp, const Fragment& fragment, std::uint32_t number,
                     std::uint32_t threads, const BasicBlock& node);
  void go_past(const Warp& warp, const BasicBlock& node, std::uint32_t mask);
  void report_apart(std::uint32_t statement, std::uint32_t thread, std::uint32_t threads,
                    const char* message, Passer& other);
  void trap(const Warp& warp, std::uint32_t mask, const BasicBlock& node);
  void release_warp_barriers(Warp& warp);
  /// Whether lanes that wait before two nodes wait for each other.
  [[nodiscard]] bool same_operation(std::uint32_t node, std::uint32_t other) const;
  void run_together(Warp& warp, const std::vector<Fragment>& places);
  // call.cpp; the lanes of `fragment` become fragments of their own, joined where they meet
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
  void pass_cluster_barrier(const Warp& warp);
  void add_wait(const Warp& warp, const Fragment& fragment, FaultKind kind);
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
  std::vector<Polls> polls_;  ///< of the threads, if any has looked at an mbarrier in vain
  std::uint64_t ahead_ = 0;   ///< barriers, by their bits, that nobody has gone past; 0 unchecked
  std::array<Passer, 64> passers_{};
  std::uint32_t live_threads_ = 0;
  AsyncCopies async_;
  std::unique_ptr<BlockObserver> observer_;
  bool watched_ = false;  ///< instructions are looked at one by one: traffic, or undefined values
  Cluster own_cluster_{{this}, 0};
  Cluster* cluster_ = &own_cluster_;
  std::uint32_t rank_ = 0;
  std::uint64_t yields_ = 0;          ///< of fragments that looped for long
  std::vector<std::uint32_t> order_;  ///< of the warps in a round

  // --- of a schedule's seed
  bool polled_ = false;           ///< the warp that ran last looked whether others had come
  bool gave_way_ = false;         ///< … it could have gone on
  bool preempted_ = false;        ///< … and would have
  bool gets_on_ = false;          ///< in the last round one did more than that
  std::uint32_t first_lane_ = 0;  ///< lanes are ranked by their number ^ this
  std::uint32_t preemptions_ = 0, holds_ = 0;  ///< that are left
  std::uint32_t idle_ = 0;                     ///< rounds in which nobody got on
};

}  // namespace warpmark::cpu
