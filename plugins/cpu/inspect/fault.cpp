// Merging of equal faults.
#include "inspect/fault.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

// The same but for where it happened.
bool alike(const Fault& one, const Fault& other) {
  return one.kind == other.kind && one.space == other.space &&
         one.allocation.address == other.allocation.address && one.warning == other.warning &&
         std::strcmp(one.hazard, other.hazard) == 0 &&
         (one.kind != FaultKind::sync || one.message == other.message);
}

// What keeps accesses of one line apart that are two mistakes: a[i - 1] and a[i + 1], `*p += 1`.
bool same_access(const Fault& one, const Fault& other) {
  return one.has_access == other.has_access && one.write == other.write &&
         one.bytes == other.bytes && one.side == other.side && one.origin == other.origin;
}

// A race of two accesses, met in the other order.
bool opposite(const Fault& one, const Fault& other, const Program& program) {
  if (one.kind != FaultKind::race || other.kind != FaultKind::race || !one.other.known ||
      !other.other.known || one.space != other.space || one.warning != other.warning ||
      one.allocation.address != other.allocation.address ||
      !same_place(program, one.statement, other.other.statement) ||
      !same_place(program, one.other.statement, other.statement))
    return false;
  const std::string_view first = one.hazard, second = other.hazard;
  return (first == "read after write" && second == "write after read") ||
         (first == "write after read" && second == "read after write") ||
         (first == "write after write" && second == first &&
          !same_place(program, one.statement, other.statement));
}

}  // namespace

void FaultLog::add(const Fault& fault) {
  for (Fault& known : faults_) {
    if (known.statement == fault.statement && known.other.statement == fault.other.statement &&
        alike(known, fault)) {
      known.count += fault.count;
      return;
    }
  }
  if (!full()) faults_.push_back(fault);
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
  // Who mends one order mends the other.
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
}

}  // namespace warpmark::cpu
