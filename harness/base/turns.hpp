// Turns of several parties on one device, in an order in which none is always first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warpmark {

/// Lets each party (0 to `parties` - 1) take one turn in each round, by `turn(round, party)`, which
/// returns whether the turns go on. Every second round is the round before in reverse, so that what
/// heats or slows the device from turn to turn falls on two parties equally; `shuffle` may put the
/// order of each other round at random, which changes who comes before whom.
template <typename Shuffle, typename Turn>
void take_turns(uint64_t rounds, size_t parties, const Shuffle& shuffle, const Turn& turn) {
  std::vector<size_t> order(parties);
  std::iota(order.begin(), order.end(), size_t{0});
  for (uint64_t round = 0; round < rounds; ++round) {
    if (round > 0) std::ranges::reverse(order);
    if (round % 2 == 0) shuffle(order);
    for (const size_t party : order) {
      if (!turn(round, party)) return;
    }
  }
}

}  // namespace warpmark
