// Follows what the threads of a launch do with memory, and records mistakes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/checks.hpp"
#include "inspect/definedness.hpp"
#include "inspect/epoch.hpp"
#include "inspect/fault.hpp"
#include "inspect/flight.hpp"
#include "inspect/further_writes.hpp"
#include "inspect/race_memory.hpp"
#include "inspect/synchronization.hpp"
#include "memory/lanes.hpp"
#include "memory/sparse_bytes.hpp"

namespace warpmark::cpu {

class ObservedBlock;
class Arena;
struct AsyncCopy;
struct CopyPart;

/// What is kept from launch to launch of a context.
struct InspectionMemory {
  explicit InspectionMemory(const Arena& arena);
  Clock clock;
  std::array<RaceMemory, 3> races;  ///< of global memory, in granules of 1, 2 and 4 bytes
};

/// Whether a load or store is volatile.
bool is_volatile(const Statement& statement);

/// What the blocks of a launch share. Not thread-safe: with races or initialisation to look for,
/// one thread runs all blocks, so that findings are the same each time.
struct LaunchObserver {
  LaunchObserver(const Checks& wanted, InspectionMemory& memory, const Program& program);
  Checks checks;
  Clock& clock;
  /// Granules of 1 << shift bytes: the program's smallest access to either memory.
  int global_shift, shared_shift;
  RaceMemory& races;
  FurtherWrites further;
  /// Threads may be in order with some of those whom they do not meet at a barrier of all: of the
  /// strong writes of a cell all are kept, else two.
  bool in_part = false;
  Synchronization synchronization;
  Flights flights;

  /// A plain read that raced, of code that may go on to compare and swap: if it does so at the same
  /// place, the swap finds out whether what was read still holds, and there is no mistake.
  struct Unsettled {
    std::uint64_t block = 0, address = 0;
    std::uint32_t thread = 0;
    Fault fault;
  };
  std::vector<Unsettled> unsettled;
  /// Statements of plain reads whose warps went on to swap, and of volatile ones whose warps went
  /// on to any atomic operation: other threads need not, if what they read is good enough.
  std::unordered_set<std::uint32_t> before_swaps;
  bool swaps = false;  ///< the program has a compare-and-swap
  bool looks = false;  ///< … atomic operations, and volatile loads that are not repeated
  /// The races among `unsettled`, at the launch's end.
  [[nodiscard]] std::vector<Fault> settled() const;
  /// Statements of atomic accesses that are so for threads of their own block alone.
  std::unordered_set<std::uint32_t> of_block_scope;
  /// Made when the first undefined value is met.
  std::optional<OperandSlots> operands;
  /// Arrays from which loads read undefined values, by statement.
  std::unordered_map<std::uint32_t, std::string> arrays;
  /// Statements that make mbarriers, of which somebody did not wait for the end, by what he did.
  std::unordered_map<std::uint32_t, std::uint32_t> raced_mbarriers;
  bool splits_cluster_barrier = false;  ///< something is between an arrival and its wait
  /// By callee: the arguments and results of its calls and its own results, which lie in its frame
  /// and may be written in part: offsets and bytes.
  std::vector<std::vector<Callee::Value>> call_spaces;
  /// What a check did not look at for want of room, and why, at the launch's end; "" if nothing.
  [[nodiscard]] std::string left_out() const;

 private:
  void lay_out_call_spaces(const Program& program);
};

/// What happens in one thread block. Handlers call it for each access, before it takes place.
class BlockObserver {
 public:
  BlockObserver(LaunchObserver& launch, ObservedBlock& block, std::uint64_t shared_bytes,
                std::uint64_t local_bytes, std::uint32_t warps);
  /// The block starts anew, as that of a linear index.
  void start(std::uint64_t index);

  [[nodiscard]] const Checks& checks() const { return launch_.checks; }
  [[nodiscard]] const ObservedBlock& block() const { return block_; }
  [[nodiscard]] WarpDefinedness& definedness(std::uint32_t warp) {
    return warps_[warp].definedness;
  }

  // --- for fast paths: 32 lanes at once
  /// The record of lane 0 of a warp; lane i's is greater by i << Record::kThreadShift.
  [[nodiscard]] std::uint64_t record(const Lanes& w, const Instruction& i) const {
    return Record::make(epoch_, w.warp * 32, false, i.statement).bits;
  }
  [[nodiscard]] int shift(Space space) const {
    return space == Space::shared ? launch_.shared_shift : launch_.global_shift;
  }
  /// The cells of shared memory from an offset on, or of global memory if they lie together.
  [[nodiscard]] RaceCells cells(Space space, std::uint64_t address, std::uint64_t bytes) {
    if (space != Space::shared) return launch_.races.find(address, bytes);
    // What other blocks did is not in order with this one's barriers: each access is looked at.
    if (visited_ || address >= reserved_) return {};
    return shared_cells_ + (address >> launch_.shared_shift);
  }
  /// Accesses before this are no danger: Record::bits of the barrier's, or the launch's start.
  [[nodiscard]] std::uint64_t threshold(Space space) const {
    return std::uint64_t{space == Space::shared ? barrier_ : launch_.clock.first()}
           << Record::kEpochShift;
  }
  /// Records before this, Record::bits, are not this block's.
  [[nodiscard]] std::uint64_t block_start() const {
    return std::uint64_t{start_} << Record::kEpochShift;
  }
  /// Whether a record of this launch is of this block, and if so, of before its last barrier.
  [[nodiscard]] bool owns(const Record& record) const {
    return !record.in_flight() && launch_.clock.block(record.epoch()) == index_;
  }
  [[nodiscard]] bool before_barrier(const Record& record) const {
    return record.epoch() < barrier_;
  }
  [[nodiscard]] std::uint8_t* shared_init() { return shared_init_.data(); }

  // --- accesses of one lane, within their bounds. Those to shared memory have an offset in the
  // shared window, so that it may be that of another block of the cluster (cluster.hpp)
  void load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes);
  /// `same`: what is stored is there already.
  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool same);
  /// What of these concerns values.
  void look_at_values(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                      std::uint64_t address, std::uint32_t bytes, bool store) {
    if (store)
      store_values(w, i, space, lane, address, bytes);
    else
      load_values(w, i, space, lane, address, bytes);
  }
  /// Reads and writes; `uses` says whether the old value is looked at.
  void atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool uses);
  /// The same for the lanes of `mask`, lane L's at at[L], within one region.
  void atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
               const std::uint64_t* at, std::uint32_t bytes);
  /// An access whose values are told apart.
  void touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool store);
  /// What is undefined of up to 8 bytes, which a matrix instruction reads for registers of
  /// `element` bytes.
  [[nodiscard]] Definedness read_value(Lanes& w, const Instruction& i, Space space,
                                       std::uint32_t lane, std::uint64_t address,
                                       std::uint32_t bytes, std::uint32_t element);
  /// Up to 8 bytes become what a matrix instruction writes; in global memory they are a result.
  void write_value(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                   std::uint64_t address, std::uint32_t bytes, const Definedness& defined);
  /// A texture fetch or surface load, of global memory: which of the first 32 bytes have no value.
  std::uint32_t fetch(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                      std::uint32_t bytes);
  /// What a thread does with an mbarrier at an offset in the shared window: make it, take it back,
  /// change it or look at it.
  enum class MbarrierUse : std::uint8_t { init, invalidate, change, test };
  void use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                    MbarrierUse use);
  /// A thread arrives at an mbarrier, or has seen others arrive; `barrier` is where it lies.
  void meet(const Lanes& w, std::uint32_t lane, const std::byte* barrier, bool arrives);
  /// malloc gave this memory to a thread: who used it before has freed it.
  void allocated(std::uint64_t address, std::uint64_t bytes);
  /// Memory that the device itself writes for a thread: results of calls, asynchronous copies.
  void fill_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
                  std::uint64_t bytes);
  void fill_shared(std::uint64_t offset, std::uint64_t bytes);

  // Asynchronous copies, by this block's threads (observer_async.cpp).
  /// It begins.
  void depart(AsyncCopy& copy);
  /// Its source may change.
  void has_read(AsyncCopy& copy);
  /// It is done, as its thread knows, or those who look at an mbarrier.
  void land(AsyncCopy& copy, const std::byte* barrier);
  /// A thread leaves by a statement, and nobody can wait for it any more: a mistake.
  void abandon(AsyncCopy& copy, std::uint32_t statement, std::uint32_t warp, std::uint32_t lane);

  /// A called function begins with a frame at this offset, and is given an argument or gives back a
  /// result: what is undefined stays so.
  void enter_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                   std::uint64_t frame);
  /// … and has left it.
  void leave_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                   std::uint64_t frame);
  void copy_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t from, std::uint64_t to,
                  std::uint64_t bytes);

  // --- undefined values, of a warp that has some
  /// Whether an instruction, by its number, has to do with any.
  [[nodiscard]] bool concerns(std::uint32_t warp, std::uint32_t instruction);
  /// Before an instruction runs for the lanes of `mask`: reports their use, and follows them.
  void follow(Lanes& w, const Instruction& i, std::uint32_t mask);
  /// A branch, a barrier's number or a function's address depends on this register.
  void decide(Lanes& w, std::uint32_t slot, std::uint32_t mask, std::uint32_t statement,
              const char* what);

  // --- synchronization
  void fence(const Lanes& w, std::uint32_t mask, bool block_only);
  void arrive(std::uint32_t warp, std::uint32_t number);
  /// All of the block's threads that are left have met, or only some, of these warps.
  void barrier_complete(std::uint32_t number, bool everybody, std::uint32_t warps);
  void warp_complete(std::uint32_t warp, std::uint32_t mask);
  // Clusters (observer_cluster.cpp). `key` is the index of the cluster's first block.
  /// All threads of the cluster have met: each of its blocks releases, then each acquires.
  void cluster_release(std::uint64_t key);
  void cluster_acquire(std::uint64_t key);
  /// The same for threads that do something between arriving and waiting: a warp arrives; everybody
  /// has arrived; a warp that has arrived goes on.
  void cluster_arrive(std::uint32_t warp, std::uint64_t key);
  void cluster_complete(std::uint64_t key);
  void cluster_wait(std::uint32_t warp, std::uint64_t key);
  /// Some of the launch's threads do something between arriving at the cluster and waiting.
  [[nodiscard]] bool splits_cluster_barrier() const { return launch_.splits_cluster_barrier; }
  /// The block's last thread has left, by this statement: its shared memory is gone.
  void exit(std::uint32_t statement, std::uint32_t warp, std::uint32_t lane);
  [[nodiscard]] std::uint64_t index() const { return index_; }

 private:
  struct Fence {
    Epoch epoch = 0, barrier = 0;
    bool block_only = false;
  };
  /// Of a block's number, where copies told to mbarriers take the block's place.
  static constexpr std::uint64_t kEngine = std::uint64_t{1} << 57;
  struct UndefinedLoad {
    const Instruction* instruction = nullptr;
    std::uint32_t element = 8, all = 8;         ///< bytes of an element, of all of them
    std::array<std::uint64_t, 32> addresses{};  ///< of each lane the last
    std::uint64_t any = 0;                      ///< one of them
  };
  struct Warp {
    WarpDefinedness definedness;
    std::array<std::uint64_t, 64>
        covered{};                ///< records without their statements, of what was seen
    std::vector<WarpSync> syncs;  ///< since the last barrier
    /// Loads that read undefined bits, by statement.
    std::unordered_map<std::uint32_t, UndefinedLoad> undefined_loads;
    Seen seen;
    std::array<Fence, 32> fences{};        ///< the last of each lane
    std::shared_ptr<const Fenced> fenced;  ///< of those whom its threads met last
    bool fenced_anew = false;              ///< since a barrier of the block
  };

  [[nodiscard]] bool in_step(const Record& before, const Instruction& i, Space space) const;
  /// What an access is held against: its own record and address, and its warp.
  struct Access {
    Record now;
    const Instruction& instruction;
    Space space;
    std::uint64_t address;
    Warp& warp;
  };
  [[nodiscard]] bool conflicts(const Record& before, const Access& access);
  /// The first of a cell's further writes that conflicts; none has no bits.
  [[nodiscard]] Record further_conflict(const RaceCells& cell, const Access& access);
  /// A write becomes the last one of its cell, whose last one it was in conflict with or not.
  void put_write(const RaceCells& cell, const Access& access, std::uint64_t oldest, bool raced);
  [[nodiscard]] std::uint64_t block_of(const Record& record) const;
  /// The cells of what a copy writes, or of what it reads.
  template <typename Body>
  void each_cell(const AsyncCopy& copy, bool written, Body body);
  void access_cells(const AsyncCopy& copy, bool written);
  void carry_values(AsyncCopy& copy);
  void carry_results(const Flight& flight, const CopyPart& part, const std::uint8_t* from,
                     std::uint8_t* to);
  void no_value(const Flight& flight, const Flight::Side& side, std::uint64_t at,
                std::uint32_t bytes, const char* what);
  SyncObject& mbarrier_object(const std::byte* barrier);
  bool raced_elsewhere(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address);
  void race(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes, const Record& before, const char* kind, bool same);
  void tell_other(Fault& fault, const Record& before) const;
  /// Whose shared memory an offset in the window is of; it becomes one in that memory.
  BlockObserver& home(std::uint64_t& offset);
  /// The cell of an address, in shared memory of any block of the cluster.
  RaceCells cell_at(Space space, std::uint64_t address);
  /// The threshold of an address: no barrier of the block's puts other blocks' accesses in order.
  [[nodiscard]] std::uint64_t oldest_danger(Space space, std::uint64_t address) {
    const bool visited = space == Space::shared && home(address).visited_;
    return threshold(visited ? Space::global : space);
  }
  [[nodiscard]] bool hides(const Record& before, const Record& now) const;
  void settle(const Lanes& w, Space space, std::uint32_t lane, std::uint64_t address,
              std::uint32_t bytes, bool swaps);
  [[nodiscard]] Record written_anew(const Lanes& w, const Instruction& i, Space space,
                                    std::uint32_t lane, std::uint64_t address, std::uint32_t bytes);
  void read_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool strong);
  void write_cells(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                   std::uint64_t address, std::uint32_t bytes, bool strong, bool same);
  void release(const Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
               std::uint64_t address);
  void acquire(const Lanes& w, Space space, std::uint64_t address);
  bool settle_strong(const RaceCells& cells, std::uint32_t count, bool returns, std::uint64_t now,
                     std::uint64_t oldest);
  void keep_strong(const std::uint64_t* cell, const Record& before, const Record& now,
                   bool returns);
  void share_fences();                                          ///< of the block
  void share_fences(std::uint32_t number, std::uint32_t mask);  ///< of lanes of a warp
  [[nodiscard]] std::uint64_t key(Space space, std::uint64_t address);
  [[nodiscard]] std::uint64_t barrier_key(std::uint32_t number) const;
  void load_values(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                   std::uint64_t address, std::uint32_t bytes);
  void store_values(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                    std::uint64_t address, std::uint32_t bytes);
  void follow_own(Lanes& w, const Instruction& i, std::uint32_t mask);
  void undefined(Lanes& w, std::uint32_t lane, std::uint32_t statement, Definedness defined,
                 const char* what, Fault fault);

  /// A memory whose bytes may have values or not.
  struct Values {
    std::uint8_t* bits = nullptr;      ///< as init_bits.hpp has them; null if all bytes have values
    std::uint64_t from = 0, size = 0;  ///< the bit of the address in question; bits that there are
    PartialBytes* partial = nullptr;   ///< null: bytes are defined or undefined as a whole
    std::uint64_t key = 0;             ///< of the address in `partial`, and in `origins`
    SparseBytes<std::uint32_t, 0>* origins = nullptr;  ///< Definedness::origin of undefined bytes
  };
  [[nodiscard]] Values values_at(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                 std::uint64_t address);
  [[nodiscard]] Values local_values(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset);
  [[nodiscard]] Values side_values(Flight::Side& side);
  /// What is undefined of these bytes came from there.
  static void tell_origin(const Values& values, std::uint64_t bytes, const Definedness& defined);
  [[nodiscard]] static Values moved(Values values, std::uint64_t by);
  /// What is undefined of `bytes` bytes, at most 8, `at` bytes behind those of `values`.
  [[nodiscard]] static std::uint64_t undefined_bits(const Values& values, std::uint64_t at,
                                                    std::uint32_t bytes);
  /// The same with its origin, of what a statement reads from `space`.
  [[nodiscard]] static Definedness undefined_at(const Values& values, std::uint64_t at,
                                                std::uint32_t bytes, Space space,
                                                std::uint32_t statement);
  /// They become what a register is.
  static void put(const Values& values, std::uint64_t at, std::uint32_t bytes,
                  const Definedness& defined);
  static void copy_values(const Values& to, const Values& from, std::uint64_t bytes);
  static void clear_values(const Values& values, std::uint64_t bytes);
  /// Whether the undefined bits of what is stored at an address are those that a load read there.
  [[nodiscard]] bool goes_back(const Warp& warp, const Definedness& defined, std::uint32_t lane,
                               std::uint64_t address) const;
  struct StoredValues;
  /// A lane's store leaves in memory what its registers have.
  StoredValues put_stored(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, const Values& values);
  /// Where an undefined value came from; "" if that is not known.
  [[nodiscard]] const std::string& array_of(const Definedness& defined);
  /// The load that read what is undefined now; null if it was none of this warp's.
  [[nodiscard]] static const UndefinedLoad* load_of(const Warp& warp, const Definedness& defined);
  bool keep_bits(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                 const Values& values);

  LaunchObserver& launch_;
  ObservedBlock& block_;
  /// From here on shared memory is used by cooperative groups, which know what they do.
  std::uint64_t reserved_ = ~std::uint64_t{0};
  std::uint64_t index_ = 0;
  Epoch epoch_ = 0, barrier_ = 0;
  Epoch start_ = 0;       ///< the first of the cluster's first block
  bool visited_ = false;  ///< another block used this one's memory since all the cluster met
  std::uint32_t cluster_releases_ = 0;  ///< by those who arrived at the cluster's last barrier
  std::uint64_t shared_bytes_, local_bytes_;
  std::vector<std::uint64_t> shared_records_;
  RaceCells shared_cells_;
  std::vector<std::uint8_t> shared_init_, local_init_;
  PartialBytes shared_partial_, local_partial_;
  SparseBytes<std::uint32_t, 0> shared_origins_, local_origins_;
  std::vector<Warp> warps_;
  Fenced fenced_;  ///< of all threads, as it is now; empty before the first fence
};

}  // namespace warpmark::cpu
