// Looks for everything that Warpmark needs on this machine.
#pragma once

#include <cstddef>

#include "cli/program/output.hpp"

namespace warpmark {

struct MachineQuestion {
  bool json = false;
  double timeout_s = 0;  ///< of each driver
  size_t examples = 0;   ///< that were found beside the program
};

/// Prints each thing with its place, or what to do about it. True if cases can be checked on some
/// device.
bool examine_machine(Output& out, const MachineQuestion& asked);

}  // namespace warpmark
