// Passes the events of a thread block to the checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/block_races.hpp"
#include "inspect/block_values.hpp"
#include "inspect/checks.hpp"
#include "inspect/fault.hpp"
#include "inspect/footprint.hpp"
#include "inspect/mbarrier_use.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

class ObservedBlock;
class Arena;
struct AsyncCopy;

/// The memory of the checks that a context keeps from launch to launch.
struct InspectionMemory {
  /// The most host memory that records of global memory may take, in bytes, for each granule size.
  static constexpr std::uint64_t kMostRecords = std::uint64_t{4} << 30;

  explicit InspectionMemory(const Arena& arena);
  Clock clock;
  std::array<RaceMemory, 3> races;  ///< of global memory, in granules of 1, 2 and 4 bytes
  /// The memory of one of the threads that run blocks at the same time; the first thread's is this
  /// object.
  InspectionMemory& of_worker(std::size_t worker, const Arena& arena);
  Speculation& speculation(Arena& arena);

 private:
  std::unique_ptr<Speculation> speculation_;
  std::vector<std::unique_ptr<InspectionMemory>> others_;
};

/// The state that those blocks of a launch share which one host thread runs. Not thread-safe.
struct LaunchObserver {
  LaunchObserver(const Checks& wanted, InspectionMemory& memory, const Program& program);
  /// Prepares for other threads running the rest of the launch's blocks.
  void run_beside_others(Footprint& own);
  Checks checks;
  std::optional<LaunchRaces> races;    ///< if Checks::race
  std::optional<LaunchValues> values;  ///< if Checks::init
  Footprint* footprint = nullptr;      ///< set if other threads also run blocks of the launch
};

/// The observer of one thread block. Handlers call it for each access, before it takes place.
/// Handlers call BlockRaces or BlockValues directly for events that concern only races or only
/// values.
class BlockObserver {
 public:
  BlockObserver(LaunchObserver& launch, ObservedBlock& block, std::uint64_t shared_bytes,
                std::uint64_t local_bytes, std::uint32_t warps);
  /// Starts the block with linear index `index`.
  void start(std::uint64_t index);

  [[nodiscard]] const Checks& checks() const { return launch_.checks; }
  [[nodiscard]] const ObservedBlock& block() const { return block_; }
  /// Null without Checks::race.
  [[nodiscard]] BlockRaces* races() { return races_ ? &*races_ : nullptr; }
  /// Null without Checks::init.
  [[nodiscard]] BlockValues* values() { return values_ ? &*values_ : nullptr; }
  /// Null unless other blocks run at the same time.
  [[nodiscard]] Footprint* footprint() const { return launch_.footprint; }

  // --- accesses of one lane, within their bounds. Those to shared memory have an offset in the
  // shared window, so that it may be that of another block of the cluster (generic_address.hpp)
  void load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes);
  /// `same` is true if the memory already holds the value that is stored.
  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool same);
  /// An atomic operation reads and writes; `uses` tells whether the old value is used.
  void atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
              std::uint64_t address, std::uint32_t bytes, bool uses);
  /// The same for the lanes of `mask`, lane L's at at[L], within one region.
  void atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
               const std::uint64_t* at, std::uint32_t bytes);
  /// A texture fetch or surface load, of global memory. Returns which of the first 32 bytes have no
  /// value, one bit for each.
  std::uint32_t fetch(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                      std::uint32_t bytes);
  /// A plain access that synchronizes nothing, as far as races are concerned.
  void touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool is_store);
  /// A thread uses an mbarrier at an offset in the shared window.
  void use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                    MbarrierUse use);

  // --- asynchronous copies, by this block's threads
  void depart(AsyncCopy& copy);
  /// Handles a copy's completion, which its thread knows of, or the threads that test an mbarrier.
  void land(AsyncCopy& copy, const std::byte* barrier);

 private:
  void note(Footprint::Use use, Space space, std::uint64_t address, std::uint64_t bytes) {
    if (launch_.footprint != nullptr && space == Space::global)
      launch_.footprint->note(use, address, bytes);
  }
  LaunchObserver& launch_;
  ObservedBlock& block_;
  std::optional<BlockRaces> races_;
  std::optional<BlockValues> values_;
};

/// The parts of an observer, which may be null; null if the observer does not make the check.
inline BlockRaces* races_of(BlockObserver* observer) {
  return observer == nullptr ? nullptr : observer->races();
}
inline BlockOrder* order_of(BlockObserver* observer) {
  BlockRaces* races = races_of(observer);
  return races == nullptr ? nullptr : &races->order();
}
inline BlockValues* values_of(BlockObserver* observer) {
  return observer == nullptr ? nullptr : observer->values();
}

}  // namespace warpmark::cpu
