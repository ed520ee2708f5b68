#include "inspect/counters/samples.hpp"

#include <algorithm>
#include <iterator>

namespace warpmark::cpu {
namespace {

std::uint64_t beyond(const Measures& measures, Measure all, Measure ideal) {
  return measures[all] - std::min(measures[all], measures[ideal]);
}

std::uint64_t excess_of(const Measures& measures) {
  const std::uint64_t turns = measures[Measure::turns];
  return beyond(measures, Measure::sectors, Measure::ideal_sectors) +
         beyond(measures, Measure::wavefronts, Measure::ideal_wavefronts) +
         (turns > 0 ? turns - 1 : 0);
}

// True if the sample is kept in the place of the other.
bool is_better(std::uint64_t mine, const WarpPlace& at, std::uint64_t other,
               const WarpPlace& other_at) {
  return mine != other ? mine > other : at.is_before(other_at);
}

}  // namespace

bool WarpPlace::is_before(const WarpPlace& other) const {
  for (const std::size_t i : {2, 1, 0}) {
    if (block[i] != other.block[i]) return block[i] < other.block[i];
  }
  return warp < other.warp;
}

void Samples::add(const Samples& other) {
  for (const auto& [site, sample] : other.accesses) {
    const auto [mine, added] = accesses.try_emplace(site, sample);
    if (!added && is_better(sample.excess, sample.place, mine->second.excess, mine->second.place))
      mine->second = sample;
  }
  for (const auto& [node, first] : other.partings) {
    const auto [mine, added] = partings.try_emplace(node, first);
    if (!added && first.first.is_before(mine->second.first)) mine->second = first;
  }
  if (other.way && (!way || is_better(other.way->count, other.way->place, way->count, way->place)))
    way = other.way;
}

void SampleTaker::access(std::uint32_t site, const WarpPlace& place, std::uint32_t lanes,
                         std::uint8_t bytes, const std::uint64_t (&at)[32],
                         const Measures& measures) {
  const std::uint64_t excess = excess_of(measures);
  if (excess == 0) return;
  AccessSample& kept = samples_.accesses[site];
  if (kept.excess != 0 && !is_better(excess, place, kept.excess, kept.place)) return;
  kept = {excess, place, lanes, bytes, measures, {}};
  std::copy(std::begin(at), std::end(at), kept.at.begin());
}

void SampleTaker::part(const WarpPlace& place, const Parting& parting) {
  const auto [first, added] = samples_.partings.try_emplace(parting.node, place, parting);
  if (!added && place.is_before(first->second.first)) first->second = {place, parting};
  for (std::size_t i = 0; i < place.block.size(); ++i) {
    if (place.block[i] >= WarpWay::kMostBlocks[i]) return;
  }
  WarpWay& way = ways_[{place.block, place.warp}];
  way.place = place;
  ++way.count;
  if (way.partings.size() < WarpWay::kMostPartings) way.partings.push_back(parting);
}

Samples SampleTaker::take() {
  for (auto& [place, way] : std::exchange(ways_, {})) {
    Samples one;
    one.way = std::move(way);
    samples_.add(one);
  }
  return std::exchange(samples_, {});
}

}  // namespace warpmark::cpu
