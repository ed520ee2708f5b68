// Merging of equal faults.
#include "inspect/fault.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

// Compares allocations. All memory that kernels allocate themselves counts as one allocation,
// because each thread has its own.
bool same_allocation(const Fault& one, const Fault& other) {
  const Allocation &first = one.allocation, &second = other.allocation;
  if (one.variable.address != other.variable.address) return false;
  return first.address == second.address ||
         (first.of_heap && second.of_heap && first.live == second.live);
}

// Returns whether two faults differ only in where they happened.
bool alike(const Fault& one, const Fault& other) {
  return one.kind == other.kind && one.space == other.space && one.calls == other.calls &&
         same_allocation(one, other) && one.warning == other.warning &&
         std::strcmp(one.hazard, other.hazard) == 0 &&
         ((one.kind != FaultKind::sync && one.kind != FaultKind::incomplete) ||
          one.message == other.message);
}

const char* plural_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "accesses out of bounds";
    case FaultKind::misaligned_address:
      return "misaligned accesses";
#define CHECK(name, found, word, places) \
  case FaultKind::found:                 \
    return places;
#include "warpmark/checks.def"
    default:
      return "failures of one kind";
  }
}

// Returns whether two accesses of one line are the same mistake. Those of a[i - 1] and a[i + 1], or
// of `*p += 1`, are two mistakes.
bool same_access(const Fault& one, const Fault& other) {
  return one.has_access == other.has_access && one.write == other.write &&
         one.bytes == other.bytes && one.side == other.side && one.origin == other.origin &&
         one.goes_on == other.goes_on;
}

// Returns whether two faults are a race of the same two accesses, met in opposite orders.
bool opposite(const Fault& one, const Fault& other, const Program& program) {
  if (one.kind != FaultKind::race || other.kind != FaultKind::race || !one.other.known ||
      !other.other.known || one.space != other.space || one.warning != other.warning ||
      !same_allocation(one, other) || !same_place(program, one.statement, other.other.statement) ||
      !same_place(program, one.other.statement, other.statement))
    return false;
  const std::string_view first = one.hazard, second = other.hazard;
  return (first == "read after write" && second == "write after read") ||
         (first == "write after read" && second == "read after write") ||
         (first == "write after write" && second == first &&
          !same_place(program, one.statement, other.statement));
}

// Returns whether two faults are races between the same two places, in either direction, on the
// same memory.
bool same_lines(const Fault& one, const Fault& other, const Program& program) {
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return same_place(program, a, b); };
  return one.space == other.space && same_allocation(one, other) &&
         ((same(one.statement, other.statement) &&
           same(one.other.statement, other.other.statement)) ||
          (same(one.statement, other.other.statement) &&
           same(one.other.statement, other.statement)));
}

// Merges the uses of undefined values that one place reads: giving the memory a value fixes all of
// them.
void merge_uses(std::vector<Fault>& faults, const Program& program) {
  std::vector<Fault> merged;
  for (Fault& fault : faults) {
    const auto known = std::find_if(merged.begin(), merged.end(), [&](const Fault& one) {
      return one.kind == FaultKind::uninitialised && fault.kind == one.kind && fault.other.known &&
             one.other.known && one.origin == fault.origin && one.source == fault.source &&
             one.other.calls == fault.other.calls &&
             same_place(program, one.other.statement, fault.other.statement);
    });
    if (known == merged.end())
      merged.push_back(std::move(fault));
    else
      known->uses.push_back({fault.statement, fault.hazard, fault.count, std::move(fault.calls)});
  }
  faults = std::move(merged);
}

// A missing barrier before many accesses of one array causes a race of each pair of them. Beyond
// this many pairs one report of all is clearer than one of each.
constexpr std::size_t kMostPairs = 6;

void join_races(std::vector<Fault>& faults) {
  const auto joins = [](const Fault& one, const Fault& other) {
    return one.kind == FaultKind::race && other.kind == FaultKind::race &&
           one.space == other.space && one.warning == other.warning &&
           one.variable.name == other.variable.name && same_allocation(one, other);
  };
  std::vector<std::size_t> pairs;
  pairs.reserve(faults.size());
  for (const Fault& fault : faults) {
    pairs.push_back(static_cast<std::size_t>(std::count_if(
        faults.begin(), faults.end(), [&](const Fault& one) { return joins(one, fault); })));
  }
  std::vector<Fault> joined;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto known = std::find_if(joined.begin(), joined.end(),
                                    [&](const Fault& one) { return joins(one, faults[i]); });
    if (known == joined.end() || pairs[i] <= kMostPairs) {
      joined.push_back(std::move(faults[i]));
      continue;
    }
    known->count += faults[i].count;
    ++known->pairs;
  }
  faults = std::move(joined);
}

// Joins races between the threads of one block in shared memory. Each race is a range of
// statements; one missing barrier in the overlap of several ranges would prevent all their races.
void join_at_barriers(std::vector<Fault>& faults, const Program& program) {
  const auto function_of = [&](std::uint32_t statement) {
    const auto behind =
        std::find_if(program.sources.begin(), program.sources.end(),
                     [&](const Program::Source& source) { return source.first > statement; });
    return behind - program.sources.begin();
  };
  const auto may_join = [&](const Fault& fault) {
    return fault.kind == FaultKind::race && fault.space == Space::shared && fault.other.known &&
           !fault.home.known && fault.block == fault.other.block && fault.hazard[0] != 'e' &&
           function_of(fault.statement) == function_of(fault.other.statement);
  };
  struct Group {
    std::size_t first = 0;  // in `joined`
    std::uint32_t begin = 0, end = 0;
  };
  std::vector<Group> groups;
  std::vector<Fault> joined;
  for (Fault& fault : faults) {
    if (!may_join(fault)) {
      joined.push_back(std::move(fault));
      continue;
    }
    // No structured binding: Clang 14 takes none of them into a lambda.
    const auto ends = std::minmax({fault.statement, fault.other.statement});
    const std::uint32_t begin = ends.first, end = ends.second;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      const Fault& first = joined[one.first];
      return std::max(one.begin, begin) < std::min(one.end, end) &&
             first.warning == fault.warning && first.calls == fault.calls &&
             function_of(first.statement) == function_of(fault.statement);
    });
    if (group == groups.end()) {
      groups.push_back({joined.size(), begin, end});
      joined.push_back(std::move(fault));
      continue;
    }
    group->begin = std::max(group->begin, begin);
    group->end = std::min(group->end, end);
    Fault& first = joined[group->first];
    first.count += fault.count;
    first.beside.push_back({fault.statement, fault.other.statement, fault.variable.name});
  }
  faults = std::move(joined);
}

}  // namespace

std::size_t FaultLog::add(const Fault& fault) {
  for (std::size_t place = 0; place < faults_.size(); ++place) {
    Fault& known = faults_[place];
    if (known.statement == fault.statement && known.other.statement == fault.other.statement &&
        alike(known, fault)) {
      known.count += fault.count;
      return place;
    }
  }
  fatal_ = fatal_ || (!is_finding(fault.kind) && !fault.goes_on);
  Kind& kind = kinds_.at(static_cast<std::size_t>(fault.kind));
  if (kind.kept == kMost) {
    kind.left_out += fault.count;
    return kNowhere;
  }
  faults_.push_back(fault);
  ++kind.kept;
  full_ = full_ || (kind.kept == kMost && !is_finding(fault.kind));
  return faults_.size() - 1;
}

void FaultLog::add(const FaultLog& later) {
  for (const Fault& fault : later.faults_) add(fault);
  for (std::size_t k = 0; k < kinds_.size(); ++k) kinds_[k].left_out += later.kinds_[k].left_out;
}

void FaultLog::add_before(FaultKind kind, const Fault& fault) {
  add(fault);
  const auto first = std::find_if(faults_.begin(), faults_.end(),
                                  [kind](const Fault& known) { return known.kind == kind; });
  if (first != faults_.end()) std::rotate(first, faults_.end() - 1, faults_.end());
}

std::vector<Fault> FaultLog::take() {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].left_out == 0) continue;
    Fault note;
    note.kind = FaultKind::incomplete;
    note.warning = true;
    note.count = 1;
    note.message = "there are more than " + std::to_string(kMost) + " places of " +
                   plural_of(static_cast<FaultKind>(k)) + ": " +
                   std::to_string(kinds_[k].left_out) + " at others are not listed";
    faults_.push_back(std::move(note));
  }
  fatal_ = full_ = false;
  kinds_ = {};
  return std::exchange(faults_, {});
}

void merge_places(std::vector<Fault>& faults, const Program& program) {
  std::vector<Fault> merged;
  for (Fault& fault : faults) {
    const bool has_place = fault.has_access || is_finding(fault.kind);
    const auto known = std::find_if(merged.begin(), merged.end(), [&](const Fault& one) {
      return has_place && alike(one, fault) && same_access(one, fault) &&
             one.other.known == fault.other.known &&
             same_place(program, one.statement, fault.statement) &&
             same_place(program, one.other.statement, fault.other.statement);
    });
    if (known == merged.end())
      merged.push_back(std::move(fault));
    else
      known->count += fault.count;
  }
  // A fix for one order of a race fixes the other order, too.
  faults.clear();
  for (Fault& fault : merged) {
    const auto known = std::find_if(faults.begin(), faults.end(), [&](const Fault& one) {
      return !one.both_orders && opposite(one, fault, program);
    });
    if (known == faults.end()) {
      faults.push_back(std::move(fault));
    } else {
      known->count += fault.count;
      known->both_orders = true;
    }
  }
  merge_uses(faults, program);
  // A warning beside an error of the same two lines adds nothing. Values are often missing because
  // of a race, which therefore comes first.
  const auto redundant = [&](const Fault& fault) {
    return fault.kind == FaultKind::race && fault.warning &&
           std::any_of(faults.begin(), faults.end(), [&](const Fault& one) {
             return one.kind == FaultKind::race && !one.warning && same_lines(one, fault, program);
           });
  };
  faults.erase(std::remove_if(faults.begin(), faults.end(), redundant), faults.end());
  join_at_barriers(faults, program);
  join_races(faults);
  const auto late = [](const Fault& fault) { return fault.kind == FaultKind::uninitialised; };
  const auto first = std::find_if(faults.begin(), faults.end(), late);
  std::stable_partition(first, faults.end(),
                        [](const Fault& fault) { return fault.kind == FaultKind::race; });
  // Faults that end the launch come first, and warnings, which fail nothing, last.
  const auto rank = [](const Fault& fault) {
    return fault.warning ? 2 : is_finding(fault.kind) ? 1 : 0;
  };
  std::stable_sort(faults.begin(), faults.end(),
                   [&](const Fault& one, const Fault& other) { return rank(one) < rank(other); });
}

}  // namespace warpmark::cpu
