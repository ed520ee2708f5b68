// Samples of a launch, to be drawn: the worst request of each access, and a warp's way at branches.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inspect/counters/traffic_map.hpp"

namespace warpmark::cpu {

/// The coordinates of a thread block, and a warp in it. Ordered as blocks are started.
struct WarpPlace {
  std::array<std::uint32_t, 3> block{};
  std::uint32_t warp = 0;
  [[nodiscard]] bool is_before(const WarpPlace& other) const;
};

/// One request of a warp.
struct AccessSample {
  std::uint64_t excess = 0;  ///< sectors, wavefronts or turns beyond the ideal
  WarpPlace place;
  std::uint32_t lanes = 0;
  std::uint8_t bytes = 0;  ///< of one lane's access
  Measures measures;
  std::array<std::uint64_t, 32> at{};  ///< each lane's address
};

/// A branch at which lanes of a warp parted.
struct Parting {
  std::uint32_t node = 0;  ///< block of the control-flow graph
  std::uint32_t lanes = 0, taken = 0;
};

/// The way of a warp through the branches at which its lanes parted.
struct WarpWay {
  static constexpr std::size_t kMostPartings = 48;
  /// Blocks from these coordinates on have no ways: a launch may have millions of warps.
  static constexpr std::array<std::uint32_t, 3> kMostBlocks{64, 8, 2};
  WarpPlace place;
  std::uint64_t count = 0;        ///< of all
  std::vector<Parting> partings;  ///< the first ones
};

/// Which sample is kept depends on the launch alone: the one with the most excess or partings, of
/// those the one of the first warp, of its the first.
struct Samples {
  std::map<std::uint32_t, AccessSample> accesses;                   ///< by TrafficMap::sites
  std::map<std::uint32_t, std::pair<WarpPlace, Parting>> partings;  ///< the first of each node
  std::optional<WarpWay> way;
  void add(const Samples& other);
};

/// Takes the samples of the blocks that one thread of the host runs.
class SampleTaker {
 public:
  /// Notes a request whose lanes have these addresses, unless it is ideal.
  void access(std::uint32_t site, const WarpPlace& place, std::uint32_t lanes, std::uint8_t bytes,
              const std::uint64_t (&at)[32], const Measures& measures);
  void part(const WarpPlace& place, const Parting& parting);
  /// All since the last call; the blocks that ran have ended, or will not go on.
  Samples take();

 private:
  Samples samples_;
  std::map<std::pair<std::array<std::uint32_t, 3>, std::uint32_t>, WarpWay> ways_;
};

}  // namespace warpmark::cpu
