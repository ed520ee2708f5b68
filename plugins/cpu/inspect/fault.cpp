// Merging of equal faults.
#include "inspect/fault.hpp"

#include <cstring>

namespace warpmark::cpu {

void FaultLog::add(const Fault& fault) {
  for (Fault& known : faults_) {
    if (known.kind == fault.kind && known.statement == fault.statement &&
        known.space == fault.space && known.allocation.address == fault.allocation.address &&
        known.other.statement == fault.other.statement && known.warning == fault.warning &&
        std::strcmp(known.hazard, fault.hazard) == 0 &&
        (known.kind != FaultKind::sync || known.message == fault.message)) {
      known.count += fault.count;
      return;
    }
  }
  if (!full()) faults_.push_back(fault);
}

}  // namespace warpmark::cpu
