// The interface by which observers query the machine about its threads and accesses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/fault.hpp"
#include "memory/arena.hpp"
#include "memory/generic_address.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

class BlockObserver;

/// The block that a BlockObserver observes. It serves only closer looks and reports; for each
/// instruction the machine calls the observer instead.
class ObservedBlock {
 public:
  ObservedBlock() = default;
  ObservedBlock(const ObservedBlock&) = delete;
  ObservedBlock& operator=(const ObservedBlock&) = delete;

  [[nodiscard]] virtual const Program& program() const = 0;
  [[nodiscard]] virtual Arena& arena() const = 0;
  /// Blocks of the grid in each dimension.
  [[nodiscard]] virtual const std::array<std::uint32_t, 3>& grid() const = 0;
  /// The address of the counter by which the blocks of a cooperative grid meet; 0: there is none.
  [[nodiscard]] virtual std::uint64_t grid_barrier() const = 0;
  /// A fault of the lanes of a warp at a statement, without its description.
  [[nodiscard]] virtual Fault fault(FaultKind kind, std::uint32_t statement, std::uint32_t warp,
                                    std::uint32_t lanes) const = 0;
  /// As FaultLog::add() and FaultLog::again().
  virtual std::size_t report(const Fault& fault) = 0;
  virtual bool report_again(std::size_t place, std::uint32_t statement, std::uint32_t other) = 0;
  /// Requires that one thread runs all blocks, because the block does something that is followed
  /// only then. If several threads run blocks, the launch runs again on one.
  virtual void serialize() = 0;

  [[nodiscard]] virtual const std::array<std::uint32_t, 3>& coordinates() const = 0;
  [[nodiscard]] virtual std::array<std::uint32_t, 3> thread(std::uint32_t warp,
                                                            std::uint32_t lane) const = 0;
  /// Lanes of a warp whose threads have left the kernel.
  [[nodiscard]] virtual std::uint32_t lanes_that_left(std::uint32_t warp) const = 0;
  [[nodiscard]] virtual std::uint32_t live_lanes(std::uint32_t warp) const = 0;
  /// Lanes of the warp that runs that are at its instruction, whether they execute that or not.
  [[nodiscard]] virtual std::uint32_t lanes_together(std::uint32_t warp) const = 0;
  /// The Fault::calls of a lane that is at a statement.
  [[nodiscard]] virtual std::vector<std::uint32_t> calls_to(std::uint32_t statement,
                                                            std::uint32_t warp,
                                                            std::uint32_t lane) const = 0;
  /// This block's rank in its cluster, and the observer of the block of a rank.
  [[nodiscard]] virtual std::uint32_t rank() const = 0;
  [[nodiscard]] virtual std::uint32_t cluster_size() const = 0;
  [[nodiscard]] virtual BlockObserver& observer_of(std::uint32_t rank) const = 0;
  /// The observer of the block that an offset in the shared window addresses; null for this block's
  /// own memory. The offset becomes one in that block's memory.
  [[nodiscard]] BlockObserver* other_at(std::uint64_t& offset) const {
    if (offset < kSharedPart) return nullptr;
    BlockObserver& other = observer_of(static_cast<std::uint32_t>(offset / kSharedPart - 1));
    offset %= kSharedPart;
    return &other;
  }

  /// Fills in the members of a report that describe an access, faulty or not. `address` is an
  /// offset for all spaces but global.
  virtual void describe_access(const Lanes& lanes, const Instruction& instruction, Space space,
                               std::uint32_t lane, std::uint64_t address, std::uint32_t bytes,
                               bool store, Fault& fault) const = 0;
  /// The name of the array that holds an address: an argument's name, or a shared variable's; "" if
  /// it has none.
  [[nodiscard]] virtual std::string array_at(const Instruction& instruction, Space space,
                                             std::uint64_t address) const = 0;

 protected:
  ~ObservedBlock() = default;
};

}  // namespace warpmark::cpu
