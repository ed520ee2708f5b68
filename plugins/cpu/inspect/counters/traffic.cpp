// From the addresses of a warp's lanes to sectors, wavefronts and rounds of atomics.
#include "inspect/counters/traffic.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "memory/generic_address.hpp"
#include "program/async_forms.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kSector = 32, kWord = 4, kBanks = 32;
// Sums of addresses and sizes stay below 2^64, whatever a kernel makes of its pointers.
constexpr std::uint64_t kMostAddress = (std::uint64_t{1} << 62) - 1;

using Addresses = std::uint64_t[32];

std::uint32_t count(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::popcount(mask));
}

// Sorts the addresses of some lanes in ascending order. Returns their number.
std::uint32_t sort(const Addresses& at, std::uint32_t mask, Addresses& sorted) {
  std::uint32_t size = 0;
  bool ordered = true;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = at[std::countr_zero(rest)] & kMostAddress;
    ordered = ordered && (size == 0 || sorted[size - 1] <= address);
    sorted[size++] = address;
  }
  if (!ordered) std::sort(sorted, sorted + size);
  return size;
}

// The number of sectors that `bytes` contiguous bytes need.
constexpr std::uint64_t sectors_for(std::uint64_t bytes) {
  return (bytes + kSector - 1) / kSector;
}

// Ranges that come in ascending order of their beginnings.
struct Cover {
  std::uint64_t sectors = 0, unique_bytes = 0;
  void add_to(Measures& to) const {
    to[Measure::sectors] += sectors;
    to[Measure::unique_bytes] += unique_bytes;
    to[Measure::ideal_sectors] += sectors_for(unique_bytes);
  }
  void add(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = address + bytes;
    if (end <= end_) return;
    const std::uint64_t from = std::max(address, end_);
    unique_bytes += end - from;
    end_ = end;
    const std::uint64_t first = std::max(address / kSector, next_), past = (end - 1) / kSector + 1;
    if (past <= first) return;
    sectors += past - first;
    next_ = past;
  }

 private:
  std::uint64_t end_ = 0, next_ = 0;  // end of the covered bytes; first sector not covered
};

// The words that lanes request from each bank at one time.
class Banks {
 public:
  void want(std::uint64_t word) {
    const std::uint64_t bank = word % kBanks;
    std::uint32_t i = 0;
    while (i < wanted_[bank] && words_[bank][i] != word) ++i;
    if (i < wanted_[bank]) return;
    if (i < kMost) words_[bank][i] = word;
    if (++wanted_[bank] > most_) most_ = wanted_[bank];
  }
  [[nodiscard]] std::uint32_t wavefronts() const { return most_; }

 private:
  static constexpr std::uint32_t kMost = 33;  // 32 lanes, and a misaligned one takes two of a bank
  std::uint64_t words_[kBanks][kMost];
  std::uint32_t wanted_[kBanks] = {};
  std::uint32_t most_ = 0;
};

void addresses_of(const Lanes& w, const Instruction& i, Addresses& at) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    at[lane] = read_lane(w.registers, i.address, lane, !i.address_narrow) +
               static_cast<std::uint64_t>(i.imm);
    if (i.address_narrow) at[lane] &= 0xffffffff;
  }
}

// Returns whether each lane of `mask` has the same address as the lane `apart` from it, if `mask`
// has that lane.
bool agree(const Addresses& at, std::uint32_t mask, std::uint32_t apart) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if ((mask >> (lane ^ apart) & 1) != 0 && at[lane] != at[lane ^ apart]) return false;
  }
  return true;
}

// The number of wavefronts of lanes that access shared memory at one time.
std::uint32_t wavefronts(const Addresses& at, std::uint32_t mask, std::uint32_t bytes) {
  Banks banks;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = at[std::countr_zero(rest)] & kMostAddress;
    for (std::uint64_t word = begin / kWord; word <= (begin + bytes - 1) / kWord; ++word)
      banks.want(word);
  }
  return banks.wavefronts();
}

// The number of lanes that access shared memory at one time: as many as access 128 bytes, or twice
// as many for a load in which neighbouring lanes, or lanes two apart, read the same address
// (observed on an H200).
std::uint32_t lanes_at_once(const Addresses& at, std::uint32_t mask, std::uint32_t bytes,
                            bool load) {
  if (bytes <= kWord) return 32;
  const std::uint32_t number = std::max<std::uint32_t>(128 / bytes, 1);
  const bool join =
      load && (bytes == 8 || bytes == 16) && (agree(at, mask, 1) || agree(at, mask, 2));
  return join ? 2 * number : number;
}

// The lanes of each round of an atomic: the first at each address, then the second ones …
std::uint32_t rounds_of(const Addresses& at, std::uint32_t mask, std::uint32_t (&rounds)[32]) {
  std::uint32_t count = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t round = 0;
    for (std::uint32_t before = 0; before < lane; ++before)
      round += (mask >> before & 1) != 0 && at[before] == at[lane] ? 1 : 0;
    if (round == count) rounds[count++] = 0;
    rounds[round] |= 1u << lane;
  }
  return count;
}

}  // namespace

void measure_cached(const Addresses& at, std::uint32_t mask, std::uint32_t bytes, Measures& to) {
  Addresses sorted;
  const std::uint32_t size = sort(at, mask, sorted);
  Cover cover;
  for (std::uint32_t i = 0; i < size; ++i) cover.add(sorted[i], bytes);
  ++to[Measure::requests];
  to[Measure::bytes] += std::uint64_t{size} * bytes;
  cover.add_to(to);
}

// The lanes of a warp that are in one row with this one.
std::uint32_t ThreadRows::lanes_of_row(std::uint32_t lane) const {
  if (width == 0) return ~0u;
  const std::uint64_t thread = first + lane, begin = thread - thread % width, end = begin + width;
  const std::uint64_t from = begin > first ? begin - first : 0;
  const std::uint64_t past = std::min<std::uint64_t>(end - first, 32);
  return static_cast<std::uint32_t>((std::uint64_t{1} << past) - (std::uint64_t{1} << from));
}

void measure_banked(const Addresses& at, std::uint32_t mask, std::uint32_t bytes, bool load,
                    Measures& to, const ThreadRows& rows) {
  const std::uint32_t together = lanes_at_once(at, mask, bytes, load);
  const std::uint32_t lanes = together >= 32 ? ~0u : (1u << together) - 1;
  for (std::uint32_t first = 0; first < 32; first += together) {
    const std::uint32_t part = mask & lanes << first;
    if (part == 0) continue;
    const std::uint32_t passes = wavefronts(at, part, bytes);
    std::uint32_t of_row = 0;
    for (std::uint32_t rest = part; rest != 0 && of_row < passes;) {
      const std::uint32_t row =
          part & rows.lanes_of_row(static_cast<std::uint32_t>(std::countr_zero(rest)));
      of_row = std::max(of_row, row == part ? passes : wavefronts(at, row, bytes));
      rest &= ~row;
    }
    to[Measure::wavefronts] += passes;
    ++to[Measure::ideal_wavefronts];
    to[Measure::row_excess] += of_row - 1;
  }
  ++to[Measure::requests];
  to[Measure::bytes] += std::uint64_t{count(mask)} * bytes;
}

void measure_atomic(Space space, const Addresses& at, std::uint32_t mask, std::uint32_t bytes,
                    Measures& to, const ThreadRows& rows) {
  Measures whole, moved;
  const auto measure = [&](std::uint32_t lanes, Measures& into) {
    if (space == Space::shared)
      measure_banked(at, lanes, bytes, false, into, rows);
    else
      measure_cached(at, lanes, bytes, into);
  };
  measure(mask, whole);
  std::uint32_t rounds[32];
  const std::uint32_t count = rounds_of(at, mask, rounds);
  for (std::uint32_t i = 0; i < count; ++i) measure(rounds[i], moved);
  whole[Measure::sectors] = moved[Measure::sectors];
  whole[Measure::ideal_sectors] = moved[Measure::ideal_sectors];
  whole[Measure::wavefronts] = moved[Measure::wavefronts];
  whole[Measure::ideal_wavefronts] = moved[Measure::ideal_wavefronts];
  whole[Measure::row_excess] = moved[Measure::row_excess];
  whole[Measure::turns] = count;
  to.add(whole);
}

void measure_local(const Addresses& at, std::uint32_t mask, std::uint32_t bytes, Measures& to) {
  constexpr std::uint32_t kTogether = kSector / kWord;  // lanes whose words make a sector
  for (std::uint32_t first = 0; first < 32; first += kTogether) {
    const std::uint32_t part = mask & (0xffu << first);
    if (part == 0) continue;
    Addresses sorted;
    const std::uint32_t size = sort(at, part, sorted);
    std::uint64_t next = 0;  // the first word whose sector is not counted
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint64_t from = std::max(sorted[i] / kWord, next);
      const std::uint64_t past = (sorted[i] + bytes - 1) / kWord + 1;
      if (past <= from) continue;
      to[Measure::sectors] += past - from;
      next = past;
    }
  }
  ++to[Measure::requests];
  to[Measure::bytes] += std::uint64_t{count(mask)} * bytes;
  to[Measure::unique_bytes] += std::uint64_t{count(mask)} * bytes;
  to[Measure::ideal_sectors] += sectors_for(std::uint64_t{count(mask)} * bytes);
}

std::uint32_t slowest_part(const Addresses& at, std::uint32_t mask, std::uint32_t bytes,
                           bool load) {
  const std::uint32_t together = lanes_at_once(at, mask, bytes, load);
  if (together >= 32) return mask;
  const std::uint32_t lanes = (1u << together) - 1;
  std::uint32_t slowest = 0, most = 0;
  for (std::uint32_t first = 0; first < 32; first += together) {
    const std::uint32_t part = mask & lanes << first;
    const std::uint32_t passes = part == 0 ? 0 : wavefronts(at, part, bytes);
    if (passes <= most) continue;
    most = passes;
    slowest = part;
  }
  return slowest;
}

std::uint64_t different_addresses(const Addresses& at, std::uint32_t mask) {
  Addresses sorted;
  const std::uint32_t size = sort(at, mask, sorted);
  return static_cast<std::uint64_t>(std::unique(sorted, sorted + size) - sorted);
}

void Profile::add(const Profile& other) {
  if (visits.empty()) {
    *this = other;
    return;
  }
  for (std::size_t i = 0; i < other.visits.size(); ++i) {
    visits[i].lanes += other.visits[i].lanes;
    visits[i].warps += other.visits[i].warps;
  }
  for (std::size_t i = 0; i < other.divergences.size(); ++i) divergences[i] += other.divergences[i];
  for (std::size_t i = 0; i < other.held.size(); ++i) held[i] += other.held[i];
  for (std::size_t i = 0; i < other.sides.size(); ++i) {
    sides[i].taken += other.sides[i].taken;
    sides[i].other += other.sides[i].other;
  }
  for (std::size_t i = 0; i < other.sites.size(); ++i) sites[i].add(other.sites[i]);
  samples.add(other.samples);
#define GREATEST(name) name = std::max(name, other.name);
#include "warpmark/counters.def"
}

void TrafficCounts::before(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
                           std::uint32_t mask) {
  if (i.guard != Instruction::kNone) {
    const auto guard = read_lane<std::uint32_t>(w.registers, i.guard, 0);
    mask &= i.guard_negated ? ~guard : guard;
  }
  if (mask == 0) return;
  switch (step.form) {
    case TrafficMap::Form::access:
    case TrafficMap::Form::atomic:
    case TrafficMap::Form::prefetch:
      return access(w, i, step, mask);
    case TrafficMap::Form::rows:
      // The lanes that give addresses are the first of the warp, whoever else takes part.
      return access(w, i, step,
                    i.count >= 4 ? 0xffffffff : (1u << (8 * std::uint32_t{i.count})) - 1);
    case TrafficMap::Form::copy:
      return copy(w, i, step, mask);
    case TrafficMap::Form::bulk:
      return bulk(w, i, step, mask);
    case TrafficMap::Form::reported:
      touched_.clear();
      handler_reports_ = true;
      return;
  }
}

ThreadRows TrafficCounts::rows_of(const Lanes& w) const {
  return {std::uint64_t{w.warp} * 32, row_};
}

// Adds a request to the counts of its site, and keeps it if it is worse than those before it.
template <typename Measuring>
void TrafficCounts::measure(const Lanes& w, std::uint32_t site, std::uint32_t lanes,
                            std::uint8_t bytes, const Addresses& at, Measuring measuring) {
  if (!samples_) return measuring(sites_[site]);
  Measures one;
  measuring(one);
  sites_[site].add(one);
  samples_->access(site, {*block_, w.warp}, lanes, bytes, at, one);
}

void TrafficCounts::access(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
                           std::uint32_t mask) {
  Addresses at;
  addresses_of(w, i, at);
  Measures* to = &sites_[step.site];
  std::uint32_t global = 0, shared = 0, local = 0;
  if (step.form == TrafficMap::Form::prefetch) {
    Measures moved;
    measure_cached(at, mask, 1, moved);
    to->add(moved);
    return;
  }
  if (step.space != Space::generic) {
    (step.space == Space::shared ? shared : step.space == Space::local ? local : global) = mask;
  } else {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      switch (resolve_space(step.space, w.local_window, at[lane])) {
        case Space::shared:
          shared |= 1u << lane;
          break;
        case Space::local:
          local |= 1u << lane;
          break;
        case Space::global:
          global |= 1u << lane;
          break;
        default:  // parameters are no traffic
          break;
      }
    }
  }
  const bool several = step.space == Space::generic, atomic = step.traffic == Traffic::atomic;
  if (global != 0 && step.space == Space::constant) {
    ++(*to)[Measure::requests];
    (*to)[Measure::bytes] += std::uint64_t{count(global)} * step.bytes;
    (*to)[Measure::turns] += different_addresses(at, global);
  } else if (global != 0) {
    measure(w, step.site, global, step.bytes, at, [&](Measures& into) {
      if (atomic)
        measure_atomic(Space::global, at, global, step.bytes, into);
      else
        measure_cached(at, global, step.bytes, into);
    });
  }
  if (shared != 0) {
    measure(w, step.site + (several ? 1 : 0), shared, step.bytes, at, [&](Measures& into) {
      if (atomic)
        measure_atomic(Space::shared, at, shared, step.bytes, into, rows_of(w));
      else
        measure_banked(at, shared, step.bytes, step.traffic == Traffic::load, into,
                       // Each lane's address is that of a row of a matrix.
                       step.form == TrafficMap::Form::rows ? ThreadRows{} : rows_of(w));
    });
  }
  if (local != 0 && !atomic) {
    measure(w, step.site + (several ? 2 : 0), local, step.bytes, at,
            [&](Measures& into) { measure_local(at, local, step.bytes, into); });
  }
}

// Operands as in async.cpp. What is ignored or cut off is written as zeros, and not read.
void TrafficCounts::copy(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
                         std::uint32_t mask) {
  Addresses from, to;
  std::uint32_t reads = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    from[lane] = read_lane<std::uint64_t>(w.registers, i.a, lane);
    to[lane] = read_lane<std::uint64_t>(w.registers, i.address, lane);
    const bool none =
        i.b != Instruction::kNone && read_lane<std::uint32_t>(w.registers, i.b, lane) == 0;
    const bool ignored =
        i.c != Instruction::kNone &&
        ((read_lane<std::uint32_t>(w.registers, i.c, 0) >> lane & 1) != 0) != i.negated;
    if (!none && !ignored) reads |= 1u << lane;
  }
  if (reads != 0) {
    measure(w, step.site, reads, step.bytes, from,
            [&](Measures& into) { measure_cached(from, reads, step.bytes, into); });
  }
  measure(w, step.site + 1, mask, step.bytes, to,
          [&](Measures& into) { measure_banked(to, mask, step.bytes, false, into, rows_of(w)); });
}

void TrafficCounts::bulk(const Lanes& w, const Instruction& i, const TrafficMap::Step& step,
                         std::uint32_t mask) {
  const auto move = [&](Space space, std::uint64_t address, std::uint64_t bytes, bool store) {
    space = resolve_space(space, w.local_window, address);
    if (bytes == 0 || (space != Space::global && space != Space::shared)) return;
    address &= kMostAddress;
    Measures& to = sites_[step.site + (space == Space::shared ? 2 : 0) + (store ? 1 : 0)];
    ++to[Measure::requests];
    to[Measure::bytes] += bytes;
    if (space == Space::global) {
      to[Measure::sectors] += (address + bytes - 1) / kSector - address / kSector + 1;
      to[Measure::unique_bytes] += bytes;
      to[Measure::ideal_sectors] += sectors_for(bytes);
    } else {
      const std::uint64_t words = (address + bytes - 1) / kWord - address / kWord + 1;
      to[Measure::wavefronts] += (words + kBanks - 1) / kBanks;
      to[Measure::ideal_wavefronts] += (words + kBanks - 1) / kBanks;
    }
  };
  const auto form = i.form<BulkForm>();
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t bytes = read_lane<std::uint32_t>(w.registers, i.b, lane);
    move(form.from, read_lane<std::uint64_t>(w.registers, i.a, lane), bytes, false);
    // A multicast writes once in each of its blocks.
    const std::uint32_t copies =
        i.d == Instruction::kNone || form.ignores
            ? 1
            : count(read_lane<std::uint32_t>(w.registers, i.d, lane) & 0xffff);
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      move(form.to, read_lane<std::uint64_t>(w.registers, i.address, lane), bytes, true);
  }
}

void TrafficCounts::after(const TrafficMap::Step& step) {
  if (!std::exchange(handler_reports_, false)) return;
  if (step.sites == 1) {
    settle(step.space == Space::shared ? Space::shared : Space::global, sites_[step.site]);
  } else {
    settle(Space::global, sites_[step.site]);
    settle(Space::shared, sites_[step.site + 1]);
  }
}

// One request of all that was touched in a space.
void TrafficCounts::settle(Space space, Measures& to) {
  const auto other = std::partition(touched_.begin(), touched_.end(),
                                    [space](const Touched& one) { return one.space == space; });
  if (other == touched_.begin()) return;
  std::sort(touched_.begin(), other,
            [](const Touched& a, const Touched& b) { return a.address < b.address; });
  Cover cover;
  std::uint64_t bytes = 0, words[kBanks] = {}, all_words = 0, next_word = 0;
  for (auto one = touched_.begin(); one != other; ++one) {
    const std::uint64_t address = one->address & kMostAddress;
    cover.add(address, one->bytes);
    bytes += one->bytes;
    for (std::uint64_t word = std::max(address / kWord, next_word);
         word <= (address + one->bytes - 1) / kWord; ++word) {
      ++words[word % kBanks];
      ++all_words;
      next_word = word + 1;
    }
  }
  ++to[Measure::requests];
  to[Measure::bytes] += bytes;
  if (space == Space::shared) {
    const std::uint64_t most = *std::max_element(std::begin(words), std::end(words));
    const std::uint64_t ideal = (all_words + kBanks - 1) / kBanks;
    to[Measure::wavefronts] += most;
    to[Measure::ideal_wavefronts] += ideal;
    to[Measure::row_excess] += most - ideal;
  } else {
    cover.add_to(to);
  }
}

Profile TrafficCounts::take(const Tally& tally) {
  Profile profile;
  profile.visits = tally.visits();
  profile.divergences = std::exchange(divergences_, std::vector<std::uint64_t>(map_.blocks()));
  profile.sites = std::exchange(sites_, std::vector<Measures>(map_.sites().size()));
  profile.ptx_longest_warp_instructions = std::exchange(longest_warp_, 0);
  profile.ptx_span_instructions = std::exchange(span_, 0);
  if (samples_) profile.samples = samples_->take();
  return profile;
}

}  // namespace warpmark::cpu
