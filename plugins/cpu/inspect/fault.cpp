// Merging of equal faults.
#include "inspect/fault.hpp"

namespace warpmark::cpu {

void FaultLog::add(const Fault& fault) {
  for (Fault& known : faults_) {
    if (known.kind == fault.kind && known.statement == fault.statement &&
        known.space == fault.space && known.allocation.address == fault.allocation.address) {
      known.count += fault.count;
      return;
    }
  }
  if (!full()) faults_.push_back(fault);
}

}  // namespace warpmark::cpu
