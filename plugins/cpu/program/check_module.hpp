// Checks all functions of a module for errors.
#pragma once

#include <functional>

#include "program/program.hpp"

namespace warpmark::cpu {

/// Decodes every kernel and every function of a module, as a driver's compiler sees the whole text
/// when it is loaded. Throws PtxError for statements that no device accepts. Statements that only
/// this device does not support are reported by decode(), when the kernel is requested. `keep` gets
/// the program of each kernel that can run.
void check_module(
    const Module& module, const Placement& placement,
    const std::function<void(const Function&, Program)>& keep = [](const Function&, Program) {});

}  // namespace warpmark::cpu
