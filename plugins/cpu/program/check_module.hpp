// Whether all functions of a module are right.
#pragma once

#include "program/program.hpp"

namespace warpmark::cpu {

/// Decodes every kernel and every function of a module, as a driver's compiler sees the whole text
/// when it is loaded. Throws PtxError for what no device takes. What only this device does not
/// support is reported by decode(), when the kernel is asked for.
void check_module(const Module& module, const Placement& placement);

}  // namespace warpmark::cpu
