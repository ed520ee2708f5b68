// The interface of machine and inspect: passes the events of a thread block to its checks.
//
// machine includes this header and policy.hpp of inspect, and names no check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "inspect/checks.hpp"
#include "inspect/counters/coverage.hpp"
#include "inspect/counters/traffic.hpp"
#include "inspect/events.hpp"
#include "inspect/fault.hpp"
#include "inspect/footprint.hpp"
#include "inspect/observed_block.hpp"
#include "inspect/races/race_memory.hpp"
#include "inspect/waits.hpp"
#include "memory/async_copy.hpp"

namespace warpmark::cpu {

class BlockRaces;
class BlockValues;
struct LaunchRaces;
struct LaunchValues;

/// The memory of the checks that a context keeps from launch to launch.
struct InspectionMemory {
  /// The most host memory that records of global memory may take, in bytes, for each granule size.
  static constexpr std::uint64_t kMostRecords = std::uint64_t{4} << 30;

  explicit InspectionMemory(const Arena& arena);
  Clock clock;
  std::array<RaceMemory, 3> races;  ///< of global memory, in granules of 1, 2 and 4 bytes
  /// Make further checks for a block, which see each access by itself: Checks::closely is needed.
  std::vector<std::function<std::unique_ptr<Check>(ObservedBlock&)>> further;
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
  /// `home` gives the allocation that all accesses through a pointer to an object stay in; null if
  /// that is not known.
  LaunchObserver(const Checks& wanted, InspectionMemory& memory, const Program& program,
                 const std::function<const void*(const Object&)>& home);
  LaunchObserver(LaunchObserver&&) noexcept;
  ~LaunchObserver();
  /// Prepares for other threads running the rest of the launch's blocks.
  void run_beside_others(Footprint& own);
  /// The faults that are known only at the launch's end.
  [[nodiscard]] std::vector<Fault> end() const;
  Checks checks;
  InspectionMemory& memory;
  std::unique_ptr<LaunchRaces> races;    ///< if Checks::race
  std::unique_ptr<LaunchValues> values;  ///< if Checks::init
  Footprint* footprint = nullptr;        ///< set if other threads also run blocks of the launch
};

/// The checks of one thread block.
class BlockObserver {
 public:
  BlockObserver(LaunchObserver& launch, ObservedBlock& block, std::uint64_t shared_bytes,
                std::uint64_t local_bytes, std::uint32_t warps);
  ~BlockObserver();

  /// Tells all checks of an event, such as tell<&Check::load>(…).
  template <auto Event, typename... Arguments>
  void tell(Arguments&&... arguments) {
    for (const std::unique_ptr<Check>& check : checks_) (check.get()->*Event)(arguments...);
  }
  /// The same of loads and stores, for handlers of all levels of the processor, which must not share
  /// inline functions.
  void load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
            std::uint32_t bytes);
  void store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, bool same);
  void touch(Lanes& w, const Instruction& i, Space space, std::uint32_t lane, std::uint64_t address,
             std::uint32_t bytes, Touch what);
  /// Check::atomic() for the lanes of `mask`, lane L's at at[L], within one region.
  void atomics(Lanes& w, const Instruction& i, Space space, std::uint32_t mask,
               const std::uint64_t* at, std::uint32_t bytes);
  /// All that Check::fetch() returns.
  std::uint32_t fetch(Lanes& w, const Instruction& i, std::uint32_t lane, std::uint64_t address,
                      std::uint32_t bytes);
  /// Null if no check follows values.
  [[nodiscard]] ValueShadow* shadow() const;
  /// True if Check::execute() is to be told of each instruction.
  [[nodiscard]] bool follows_all() const {
    return follows_products_ || !launch_.memory.further.empty();
  }
  /// True if some check asks for `same` of Check::store().
  [[nodiscard]] bool compares() const { return races_ != nullptr; }
  /// The barriers that Check::go_past() is to be told of: bits of BasicBlock::past.
  std::uint64_t ahead = 0;

  // --- queries of the checks
  [[nodiscard]] const Checks& checks() const { return launch_.checks; }
  [[nodiscard]] const ObservedBlock& block() const { return block_; }
  /// Null without Checks::race.
  [[nodiscard]] BlockRaces* races() const { return races_; }
  /// Null without Checks::init.
  [[nodiscard]] BlockValues* values() const { return values_; }
  /// Null unless other blocks run at the same time.
  [[nodiscard]] Footprint* footprint() const { return launch_.footprint; }

 private:
  LaunchObserver& launch_;
  ObservedBlock& block_;
  std::vector<std::unique_ptr<Check>> checks_;
  BlockRaces* races_ = nullptr;
  BlockValues* values_ = nullptr;
  bool follows_products_ = false;  ///< some check follows the registers of products
};

/// Null if the observer is null or no check follows values.
inline ValueShadow* shadow_of(const BlockObserver* observer) {
  return observer == nullptr ? nullptr : observer->shadow();
}

}  // namespace warpmark::cpu
