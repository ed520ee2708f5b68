// Race detection: keeps the last accesses to each cell, and finds unordered ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/events.hpp"
#include "inspect/fault.hpp"
#include "inspect/flight.hpp"
#include "inspect/mbarrier_use.hpp"
#include "inspect/races/block_order.hpp"
#include "inspect/races/deferred_atomics.hpp"
#include "inspect/races/deferred_reads.hpp"
#include "inspect/races/further_records.hpp"
#include "inspect/races/race_memory.hpp"
#include "inspect/races/warpgroup_reads.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

class ObservedBlock;
struct AsyncCopy;
struct InspectionMemory;

/// The state of race detection that the blocks of a launch share.
struct LaunchRaces {
  LaunchRaces(InspectionMemory& memory, const Program& program);
  LaunchOrder order;
  /// Granules of 1 << shift bytes: the program's smallest access to either memory.
  int global_shift, shared_shift;
  RaceMemory& memory;
  FurtherRecords further;        ///< further writes of cells
  FurtherRecords further_reads;  ///< further reads, by the address of RaceCells::read
  /// Returns whether reads of an Instruction::object by more than two warps are kept. They are if
  /// threads may be ordered with only some of these reads and the object may be written.
  [[nodiscard]] bool keeps_reads(const Instruction& i, Space space) const {
    return order.in_part &&
           (space == Space::shared || i.object >= unwritten.size() || !unwritten[i.object]);
  }
  std::vector<bool> unwritten;  ///< by object: true if the kernel itself only reads it
  /// By object: true if it lies in an allocation that the launch writes nothing to, so that reads of
  /// it cannot race. find_apart() fills it in.
  std::vector<bool> apart;
  /// `home` gives the allocation that all accesses through a pointer to an object stay in; null if
  /// that is not known.
  void find_apart(const Program& program, const std::function<const void*(const Object&)>& home);
  Flights flights;

  /// A plain read that raced, of code that may go on to compare and swap: if it does so at the same
  /// place, the swap detects whether the value read is still current, and there is no mistake.
  struct Unsettled {
    std::uint64_t block = 0, address = 0;
    std::uint32_t thread = 0;
    Fault fault;
  };
  std::vector<Unsettled> unsettled;
  /// Statements of plain reads whose warps went on to swap, and of volatile ones whose warps went
  /// on to any atomic operation: other threads need no such operation if the value that they read
  /// suffices.
  std::unordered_set<std::uint32_t> before_swaps;
  bool closely = false;         ///< every race is described, even a known one (Checks::closely)
  bool strict_proxies = false;  ///< Checks::strict_proxies
  bool swaps = false;           ///< the program has a compare-and-swap
  bool copies = false;          ///< it has asynchronous copies
  bool proxies = false;  ///< it reads or writes shared memory by the async proxy, for which earlier
                         ///< writes matter beyond barriers
  bool looks = false;    ///< the program has atomics, and volatile loads that are not repeated
  /// The races among `unsettled`, at the launch's end.
  [[nodiscard]] std::vector<Fault> settled() const;
  bool in_step = false;  ///< the launch has volatile accesses that only lanes in step put in order
  /// Statements of atomic accesses that are atomic only for threads of their own block.
  std::unordered_set<std::uint32_t> of_block_scope;
  const DecidingAccesses& deciding;  ///< the program's
  /// Returns true if the order of two strong accesses decides a value.
  [[nodiscard]] bool decides(const Record& before, const Record& now) const;
  /// For each statement that makes mbarriers whose initialization some thread did not wait for: the
  /// statement of that thread's access.
  std::unordered_map<std::uint32_t, std::uint32_t> raced_mbarriers;
  /// Describes, at the launch's end, what was not checked for lack of room, and why; "" if
  /// everything was checked.
  [[nodiscard]] std::string left_out() const;
};

/// The accesses of one block's threads. An access to shared memory has an offset in the shared
/// window, so that it may be that of another block of the cluster (generic_address.hpp).
class BlockRaces final : public Check {
 public:
  BlockRaces(LaunchRaces& launch, ObservedBlock& block, std::uint64_t shared_bytes,
             std::uint32_t warps);
  /// Starts the block with linear index `index`.
  void begin(std::uint64_t index) override;
  [[nodiscard]] BlockOrder& order() { return order_; }
  [[nodiscard]] const BlockOrder& order() const { return order_; }

  // --- for fast paths: 32 lanes at once
  /// The record of lane 0 of a warp; lane i's is greater by i << Record::kThreadShift.
  [[nodiscard]] std::uint64_t record(const Lanes& w, const Instruction& i) const {
    return Record::make(order_.epoch(), w.warp * 32, false, i.statement).bits;
  }
  /// The table in which reads of further warps are kept; null if they are not kept.
  [[nodiscard]] FurtherRecords* readers(const Instruction& i, Space space) {
    return launch_.keeps_reads(i, space) ? &launch_.further_reads : nullptr;
  }
  [[nodiscard]] int shift(Space space) const {
    return space == Space::shared ? launch_.shared_shift : launch_.global_shift;
  }
  /// The cells of [address, address + bytes) of shared memory, or of global memory if they lie
  /// together.
  [[nodiscard]] RaceCells cells(Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space != Space::shared) return launch_.memory.find(address, bytes);
    // Accesses of other blocks are not ordered by this block's barriers, so each access is checked
    // by itself.
    if (visited_ || address >= reserved_) return {};
    return shared_cells(address, bytes);
  }
  /// The rows of [address, address + bytes), and the epoch before which what was done to their cells
  /// does not matter any more; null if whole rows cannot be used. A copy that is under way is not
  /// ordered by barriers.
  struct Rows {
    RaceRow* first = nullptr;
    Epoch oldest = 0;
  };
  [[nodiscard]] Rows rows(Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space != Space::shared)
      return {launch_.memory.find_rows(address, bytes), launch_.order.clock.first()};
    const std::uint64_t cell = address >> launch_.shared_shift;
    const std::uint64_t count = bytes >> launch_.shared_shift;
    if ((cell | count) % kRowCells != 0 || in_cluster_ || address >= reserved_) return {};
    use(address, address + bytes);
    return {shared_rows_.data() + cell / kRowCells,
            launch_.flights.empty() && !launch_.proxies ? order_.barrier() : order_.start()};
  }
  /// Where a plain read of [begin, end) of the block's own shared memory is noted if nothing but
  /// reads has happened there since the last barrier; null if its records are needed now.
  [[nodiscard]] DeferredReads* deferred(Space space, std::uint64_t begin, std::uint64_t end) {
    if (space != Space::shared || in_cluster_ || end > reserved_ || !launch_.flights.empty() ||
        (launch_.strict_proxies && launch_.proxies))
      return nullptr;
    see_barrier();
    return used_.meets(begin, end) || atomics_.range().meets(begin, end) || reads_.refuses()
               ? nullptr
               : &reads_;
  }
  /// Returns true if no write of the launch can reach what a load reads.
  [[nodiscard]] bool is_apart(const Instruction& i, Space space) const {
    return space == Space::global && i.object < launch_.apart.size() && launch_.apart[i.object];
  }
  /// The Record::bits of the last barrier, or of the launch's start: earlier accesses cannot race.
  [[nodiscard]] std::uint64_t threshold(Space space) const {
    return std::uint64_t{space == Space::shared ? order_.barrier() : launch_.order.clock.first()}
           << Record::kEpochShift;
  }
  /// The Record::bits of the block's start: earlier records are not this block's.
  [[nodiscard]] std::uint64_t block_start() const {
    return std::uint64_t{order_.start()} << Record::kEpochShift;
  }

  // --- accesses
  void load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes) override;
  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool same) override;
  void atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool uses) override;
  /// The same for the lanes of `mask`, lane L's at at[L], one after another, until one needs a
  /// closer look. Returns that lane and those after it, for which nothing is done.
  std::uint32_t settle_atomics(const Lanes& w, const Instruction& i, Space space,
                               std::uint32_t mask, const std::uint64_t* at, std::uint32_t bytes);
  void touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, Touch what) override;
  std::uint32_t fetch(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                      std::uint32_t bytes) override;
  void use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                    MbarrierUse use) override;
  /// Forgets earlier accesses.
  void allocated(std::uint64_t address, std::uint64_t bytes) override {
    launch_.memory.forget(address, bytes);
  }
  /// The block's shared memory is gone.
  void exit(std::uint32_t statement, std::uint32_t warp, std::uint32_t lane) override;

  // --- synchronization, for BlockOrder
  void barrier_arrive(const Lanes& w, std::uint32_t mask, std::uint32_t number,
                      std::uint32_t threads, const BasicBlock& node) override;
  void barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps) override {
    order_.barrier_complete(number, everybody, warps);
  }
  void warp_complete(std::uint32_t warp, std::uint32_t mask) override {
    order_.warp_complete(warp, mask);
  }
  void part(std::uint32_t warp, std::uint32_t mask) override { order_.part(warp, mask); }
  void cluster_complete() override;
  void cluster_released() override;
  void cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool relaxed) override;
  void cluster_wait(std::uint32_t warp) override;
  void fence(const Lanes& w, const Instruction& i) override;
  void arrive_at(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i) override {
    order_.arrive_at(barrier, warp, lane, i);
  }
  void complete_phase(const std::byte* barrier) override { order_.complete_phase(barrier); }
  void see_phase(const std::byte* barrier, std::uint32_t warp, std::uint32_t lane,
                 const Instruction& i) override {
    order_.see_phase(barrier, warp, lane, i);
  }
  void see_copies(const std::byte* barrier, std::uint32_t warp) override {
    order_.see_copies(barrier, warp);
  }

  // --- products of warpgroups
  void multiply_in_group(Lanes& w, const Instruction& i, const std::vector<std::uint32_t>& a,
                         const std::vector<std::uint32_t>& b) override;
  void steer_group(Lanes& w, const Instruction& i) override;

  // --- asynchronous copies
  void depart(AsyncCopy& copy) override;
  void has_read(AsyncCopy& copy) override;
  void landed(AsyncCopy& copy, const std::byte* barrier) override;
  void abandon(AsyncCopy& copy, std::uint32_t statement, std::uint32_t warp,
               std::uint32_t lane) override;

 private:
  /// An access that earlier records are compared with: its own record and address.
  struct Access {
    Record now;
    const Instruction& instruction;
    Space space;
    std::uint64_t address;
  };
  /// A volatile load of shared memory that is not repeated waits for nothing: it is no stronger than
  /// a plain one.
  static bool is_strong(const Instruction& i, Space space) {
    return (i.order & Instruction::kStrong) != 0 &&
           ((i.order & Instruction::kOnce) == 0 || space != Space::shared);
  }
  [[nodiscard]] bool in_step(const Record& before, const Instruction& i, Space space) const;
  /// Warns of an access that is ordered with an earlier one only if the lanes of the warp run in
  /// step.
  void warn_in_step(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                    std::uint64_t address, std::uint32_t bytes, bool write);
  [[nodiscard]] bool conflicts(const Record& before, const Access& access) {
    return before.epoch() >= launch_.order.clock.first() && conflicts_in_launch(before, access);
  }
  [[nodiscard]] bool conflicts_in_launch(const Record& before, const Access& access);
  /// The first of a cell's further writes that conflicts; no bits if there is none.
  [[nodiscard]] Record further_conflict(const RaceCells& cell, const Access& access);
  [[nodiscard]] bool is_in_scope_race(const Record& before, const Record& now) const;
  /// The same for a cell's further reads.
  [[nodiscard]] Record further_reader(const RaceCells& cell, const Access& access);
  void race(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes, const Record& before, const char* kind, bool same,
            const char* detail = nullptr);
  /// True if lanes of one warp execute a copy of a box to the same place.
  static bool repeats_copy(const Record& before, const Record& now, const Instruction& i);
  static const char* const kRepeatedCopy;  ///< what a report says then
  /// A race with a copy that is under way, which was reported. A thread that does not wait for its
  /// copies meets such a race at each of them: it is described once, and then counted.
  struct Reported {
    const Instruction* instruction = nullptr;  ///< null: none
    std::uint64_t address = 0;
    const char* kind = "";
    std::size_t place = 0;  ///< place in the log, which knows the other statement
  };
  /// The entry that remembers such a race; null if it always needs a description.
  Reported* remembered(const Instruction& i, Space space, std::uint64_t address,
                       const Record& before);
  [[nodiscard]] BlockOrder::Lack lack_of(const Record& before, const Instruction& i, Space space,
                                         std::uint32_t warp, std::uint32_t lane) const;
  [[nodiscard]] bool warns(const Record& before, const Instruction& i, Space space,
                           std::uint32_t warp, std::uint32_t lane) const {
    return (before.strong() && is_deciding(i)) ||
           lack_of(before, i, space, warp, lane).what == BlockOrder::Lack::What::order;
  }
  static constexpr const char* kWriteAfterRead = "write after read";
  /// The statement that BlockOrder::released_in_step() gives for a read that what a lane writes now
  /// does not come after; kNone for races of other hazards.
  [[nodiscard]] std::uint32_t released_in_step(const Record& read, std::uint32_t warp,
                                               std::uint32_t lane, std::string_view hazard) const;
  [[nodiscard]] bool is_deciding(const Instruction& i) const {
    return !launch_.deciding.empty() && launch_.deciding.contains(i.statement);
  }
  void classify(Fault& fault, const Record& before, const Instruction& i, Space space,
                std::uint32_t warp, std::uint32_t lane, const char* detail) const;
  void describe_other(Fault& fault, const Record& before) const;
  void read_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool strong);
  void write_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                   std::uint64_t address, std::uint32_t bytes, bool strong, bool same);
  [[nodiscard]] Record written_anew(const Lanes& w, const Instruction& i, Space space,
                                    std::uint32_t lane, std::uint64_t address, std::uint32_t bytes);
  [[nodiscard]] bool takes_place(const Record& last, const Record& other, const Record& now,
                                 std::uint64_t oldest) const;
  void keep_read(const RaceCells& cell, const Record& now, std::uint64_t oldest,
                 FurtherRecords* readers) const;
  [[nodiscard]] bool hides(const Record& before, const Record& now) const;
  /// Returns whether further reads of a cell are kept beside those that it has room for.
  [[nodiscard]] bool has_further_reads(const std::uint64_t* read, std::uint64_t oldest) const {
    return launch_.order.in_part && *read >= oldest && launch_.further_reads.find(read);
  }
  /// Makes a write the last one of its cell. `raced` tells whether it conflicts with the cell's
  /// last write.
  void put_write(const RaceCells& cell, const Access& access, std::uint64_t oldest, bool raced);
  void settle(const Lanes& w, Space space, std::uint32_t lane, std::uint64_t address,
              std::uint32_t bytes, bool swaps);
  [[nodiscard]] bool suffices(const FurtherRecords::Writes& known, std::uint64_t before,
                              std::uint64_t now) const;
  bool settle_strong(const RaceCells& cells, std::uint32_t count, bool returns, bool pairs,
                     std::uint64_t now, std::uint64_t oldest);
  /// Records atomic accesses of the block's own shared memory by the lanes of `mask`, lane L's at
  /// at[L], of which paired() says that there is nothing else to do: the last write and the kept
  /// record are of this epoch, and so of this block since its last barrier, and nothing but atomic
  /// operations has happened there since. `first` is the record of lane 0. Returns the other lanes.
  std::uint32_t add_to_pairs(std::uint32_t mask, const std::uint64_t* at, std::uint64_t first);
  /// Notes the same operations in atomics_, if their records are not needed now.
  bool defer_atomics(const Lanes& w, const Instruction& i, std::uint32_t mask,
                     const std::uint64_t* at, std::uint64_t first);
  /// Makes the records of those that were noted.
  void record_atomics();
  void keep_two_of_statement(const std::uint64_t* cell, const Record& record);
  void keep_strong(const std::uint64_t* cell, const Record& before, const Record& now,
                   bool returns);
  /// Calls `body` for the cells that a copy writes, or for those that it reads.
  template <typename Body>
  void each_cell(const AsyncCopy& copy, bool written, Body body);
  void access_cells(const AsyncCopy& copy, bool written);
  void check_proxy(const AsyncCopy& copy, bool written);
  [[nodiscard]] bool is_unfenced_read(const Record& read, const Access& access);
  [[nodiscard]] bool by_async_proxy(const Record& written) const;
  void check_map(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                 std::uint32_t bytes);
  void leave_groups();
  void check_operand(Lanes& w, const Instruction& i, const AsyncCopy& reads,
                     const AsyncCopy* known);
  template <typename Body>
  void each_operand_cell(const AsyncCopy& reads, Body body);
  void begin_reads(AsyncCopy& reads);
  void end_reads(AsyncCopy& reads, const std::byte* key);
  void keep_read(const RaceCells& cell, const Record& record, FurtherRecords* readers);
  [[nodiscard]] Record made_unordered(const Access& access);
  /// Returns whether no other statement's use of an object that `made` created has been reported.
  bool is_first_use(const Record& made, const Instruction& i) {
    return launch_.raced_mbarriers.try_emplace(made.statement(), i.statement).first->second ==
           i.statement;
  }
  void check_proxy_of(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address);

  /// The races of the block whose shared memory an offset in the window addresses; the offset
  /// becomes one in that memory.
  BlockRaces& home(std::uint64_t& offset);
  /// The key of the cluster's barrier, and whether instructions lie between arrivals and waits.
  [[nodiscard]] std::uint64_t cluster_key() const;
  [[nodiscard]] bool splits() const { return launch_.order.splits_cluster_barrier; }
  /// The cell of an address, in shared memory of any block of the cluster.
  RaceCells cell_at(Space space, std::uint64_t address) { return cells_at(space, address, 1); }
  /// Forgets what happened before the last barrier.
  void see_barrier() {
    if (since_ == order_.barrier()) return;
    since_ = order_.barrier();
    used_ = used_plainly_ = {};
    reads_.forget();
    atomics_.forget();
  }
  /// Must be called before records of a range of the block's own shared memory are looked at.
  void use(std::uint64_t begin, std::uint64_t end, bool for_atomics = false) {
    see_barrier();
    if (reads_.range().meets(begin, end)) reads_.record(*this);
    if (atomics_.range().meets(begin, end)) record_atomics();
    used_.add(begin, end);
    if (!for_atomics) used_plainly_.add(begin, end);
  }
  /// The cells of a range of the block's own shared memory.
  RaceCells shared_cells(std::uint64_t address, std::uint64_t bytes, bool for_atomics = false) {
    const int shift = launch_.shared_shift;
    const std::uint64_t cell = address >> shift, last = (address + bytes - 1) >> shift;
    use(address, address + bytes, for_atomics);
    spread_rows(shared_rows_.data(), shared_cells_, cell, last - cell + 1, order_.barrier());
    return shared_cells_ + cell;
  }
  /// The cells of [address, address + bytes) if they lie together.
  RaceCells cells_at(Space space, std::uint64_t address, std::uint64_t bytes);
  /// Calls body(cell) for each granule of [first, end) of which records are kept.
  template <typename Body>
  void each_granule(Space space, std::uint64_t first, std::uint64_t end, Body body) {
    if (first >= end) return;
    RaceCells cell = cells_at(space, first, end - first);
    const bool together = static_cast<bool>(cell);
    for (; first < end; first += std::uint64_t{1} << shift(space)) {
      if (!together) cell = cell_at(space, first);
      if (!cell) continue;
      body(cell);
      cell = cell + 1;
    }
  }
  /// Returns whether an address is that of the grid's barrier.
  [[nodiscard]] bool is_grid_barrier(Space space, std::uint64_t address) const;
  void strong_read(const Lanes& w, const Instruction& i, std::uint32_t lane, Space space,
                   std::uint64_t address);
  [[nodiscard]] std::uint64_t key(Space space, std::uint64_t address);
  /// Like threshold(), but for records that are kept for later: the block's own barriers do not
  /// order accesses of other blocks in its cluster.
  [[nodiscard]] std::uint64_t oldest_danger(Space space) const {
    return space == Space::shared && in_cluster_ ? block_start() : threshold(space);
  }
  /// The number of the block that made an access, which may be a copy.
  [[nodiscard]] std::uint64_t block_of(const Record& record) const;

  LaunchRaces& launch_;
  ObservedBlock& block_;
  BlockOrder order_;
  /// The offset from which on shared memory belongs to cooperative groups, whose accesses are
  /// trusted.
  std::uint64_t reserved_ = ~std::uint64_t{0};
  Record met_in_step_{};     ///< first record that the current access is ordered with only in step
  bool in_cluster_ = false;  ///< other blocks are in the cluster, unordered by this one's barriers
  bool visited_ = false;  ///< another block used this block's memory since the last cluster barrier
  std::uint64_t shared_bytes_;
  std::unordered_map<std::uint64_t, Record> made_;  ///< the mbarriers of its memory, by offset
  std::vector<std::uint64_t> shared_records_;
  RaceCells shared_cells_;
  std::vector<RaceRow> shared_rows_;
  DeferredReads reads_;       ///< since the barrier `since_`
  DeferredAtomics atomics_;   ///< the same
  SharedRange used_;          ///< where records were looked at since then
  SharedRange used_plainly_;  ///< the same for other than atomic operations
  Epoch since_ = 0;
  std::array<Reported, 64> reported_;
  /// Cells of the block's own shared memory to which atomic operations add, and the one record that
  /// FurtherRecords has of each: as long as further operations of the epoch are of other threads
  /// than that, there is nothing to look up or to keep. Any other write forgets the pair.
  struct Paired {
    const std::uint64_t* cell = nullptr;
    std::uint64_t kept = 0;  ///< Record::bits
  };
  static constexpr std::size_t kPairs = 256;
  static std::size_t place_of(const std::uint64_t* cell) {
    return reinterpret_cast<std::uintptr_t>(cell) / sizeof *cell % kPairs;
  }
  Paired& paired(const std::uint64_t* cell) { return paired_.at(place_of(cell)); }
  std::array<Paired, kPairs> paired_;
  std::vector<WarpgroupReads> warpgroups_;
};

}  // namespace warpmark::cpu
