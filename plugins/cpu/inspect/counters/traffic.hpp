// Counts what each memory instruction of a warp moves: sectors, wavefronts, rounds of atomics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "inspect/counters/samples.hpp"
#include "inspect/counters/tally.hpp"
#include "inspect/counters/traffic_map.hpp"
#include "memory/lanes.hpp"

namespace warpmark::cpu {

/// The lanes that a branch sent each way.
struct Sides {
  std::uint64_t taken = 0, other = 0;
};

/// Counts of some thread blocks of a launch, place by place. Empty if not asked for.
struct Profile {
  std::vector<Visits> visits;              ///< by block of the control-flow graph
  std::vector<std::uint64_t> divergences;  ///< by block, too: how often lanes diverged at its end
  std::vector<Measures> sites;             ///< by TrafficMap::sites
  std::vector<Sides> sides;                ///< by block, if coverage is counted
  std::vector<std::uint64_t> held;  ///< by CoverageMap::guarded(): lanes for which the guard held
  Samples samples;                  ///< if they are taken
#define GREATEST(name) std::uint64_t name = 0;
#include "warpmark/counters.def"
  void add(const Profile& other);
};

/// --- Measures of one request of a warp, as functions of its addresses. They hold for any
/// addresses, aligned or not, in memory or not: a refused access counts as requested.

/// Bytes, sectors, unique bytes and ideal sectors of accesses of `bytes` at each lane's address.
void measure_cached(const std::uint64_t (&at)[32], std::uint32_t mask, std::uint32_t bytes,
                    Measures& to);
/// The rows of a block's threads. Threads of one row have equal threadIdx.y and z.
struct ThreadRows {
  std::uint64_t first = 0;  ///< number in the block of lane 0's thread
  std::uint32_t width = 0;  ///< threads in a row; 0: all lanes are in one
  [[nodiscard]] std::uint32_t lanes_of_row(std::uint32_t lane) const;
};
/// Bytes and wavefronts. A wavefront takes one word of 4 bytes from each of 32 banks; lanes that
/// want the same word share it. Accesses of 8 bytes go in two halves of the warp, those of 16 in
/// four quarters, one after the other. Those of a load go two by two if each lane of the warp has
/// its neighbour's address, or each that of the lane two further (as on an H200). The row's excess
/// is that of the worst row among those that go together.
void measure_banked(const std::uint64_t (&at)[32], std::uint32_t mask, std::uint32_t bytes,
                    bool load, Measures& to, const ThreadRows& rows = {});
/// Measures of local memory, in which words at equal offsets of a warp's lanes lie side by side.
void measure_local(const std::uint64_t (&at)[32], std::uint32_t mask, std::uint32_t bytes,
                   Measures& to);
/// The same of an atomic on global or shared memory. Lanes at one address go one after the other,
/// so that sectors and wavefronts are those of each round: all first lanes, all second ones …
void measure_atomic(Space space, const std::uint64_t (&at)[32], std::uint32_t mask,
                    std::uint32_t bytes, Measures& to, const ThreadRows& rows = {});
/// Those lanes of a request to shared memory that go at one time and take the most wavefronts; all
/// if the request goes at once.
std::uint32_t slowest_part(const std::uint64_t (&at)[32], std::uint32_t mask, std::uint32_t bytes,
                           bool load);
/// The number of different addresses.
std::uint64_t different_addresses(const std::uint64_t (&at)[32], std::uint32_t mask);

/// One worker's counts.
class TrafficCounts {
 public:
  /// `row` is the number of threads in a row of the blocks; `samples`: they are taken, too.
  TrafficCounts(const TrafficMap& map, std::uint32_t row, bool samples = false)
      : map_(map), row_(row), divergences_(map.blocks()), sites_(map.sites().size()) {
    if (samples) samples_.emplace();
  }

  [[nodiscard]] const TrafficMap::Step* step(std::uint32_t instruction) const {
    return map_.step(instruction);
  }
  /// Called before the handler of such an instruction runs for the lanes of `mask`, which the guard
  /// has not reduced yet.
  void before(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
              std::uint32_t mask);
  /// Notes that the handler touches a place of this space, for some lane. Does nothing unless the
  /// handler reports its places.
  void touch(Space space, std::uint64_t address, std::uint32_t bytes) {
    if (handler_reports_) touched_.push_back({space, address, bytes});
  }
  /// Called after the handler has run.
  void after(const TrafficMap::Step& step);

  /// Notes the thread block of the warps that run from now on, which stays where it is.
  void enter(const std::array<std::uint32_t, 3>& block) { block_ = &block; }
  /// Notes that some of the lanes take the branch at the end of a block of the graph.
  void diverged(std::uint32_t block, std::uint32_t warp, std::uint32_t lanes, std::uint32_t taken) {
    ++divergences_[block];
    if (samples_) samples_->part({*block_, warp}, {block, lanes, taken});
  }
  void warp_ran(std::uint64_t instructions) {
    if (instructions > longest_warp_) longest_warp_ = instructions;
  }
  /// Notes that a thread block is done. `span` is its instructions along the longest chain of warps
  /// that wait for each other.
  void block_ran(std::uint64_t span) {
    if (span > span_) span_ = span;
  }
  /// Takes the counts since the last call; `tally` has the visits.
  Profile take(const Tally& tally);

 private:
  struct Touched {
    Space space = Space::global;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  void access(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
              std::uint32_t mask);
  void copy(const Lanes& w, const Instruction& i, const TrafficMap::Step& step, std::uint32_t mask);
  void bulk(const Lanes& w, const Instruction& i, const TrafficMap::Step& step, std::uint32_t mask);
  void settle(Space space, Measures& to);
  template <typename Measuring>
  void measure(const Lanes& w, std::uint32_t site, std::uint32_t lanes, std::uint8_t bytes,
               const std::uint64_t (&at)[32], Measuring measuring);
  [[nodiscard]] ThreadRows rows_of(const Lanes& w) const;

  const TrafficMap& map_;
  std::uint32_t row_;
  std::vector<std::uint64_t> divergences_;
  std::vector<Measures> sites_;
  std::uint64_t longest_warp_ = 0, span_ = 0;
  std::vector<Touched> touched_;
  bool handler_reports_ = false;
  const std::array<std::uint32_t, 3>* block_ = nullptr;
  std::optional<SampleTaker> samples_;
};

}  // namespace warpmark::cpu
