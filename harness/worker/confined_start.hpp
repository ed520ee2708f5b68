// The start of a confined worker: it opens everything that it needs, and then enters its sandbox.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/protocol.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

/// The names, with their values, of the variables that a worker with an empty environment needs to
/// find its libraries as we would: of Warpmark, CUDA and the loader.
std::vector<std::string> environment_for_libraries();
/// Sets these variables. To be called before there are threads.
void take_environment(const std::vector<std::string>& environment);

/// The address space that a warm compiler may take in addition for a submission: less than the
/// confinement has where memory is short. The first call must come before the sandbox.
uint64_t compile_bytes(const Confinement& confinement);

/// The compiler of a compile worker: NVRTC open and warm, so that it will open no more files, with
/// the headers that it may include in memory, and the programs for other languages warm. Throws
/// environment errors.
UnitCompiler open_confined_compiler(const Confinement& confinement);

/// Throws an environment error if the confinement requires a sandbox, for a process that has none.
void require_sandbox(const protocol::Confined& confined);

/// Enters the sandbox, in the order that works: limits, Landlock, the filter of system calls; tries
/// each, and returns those that hold. Throws an environment error if none but limits holds and one
/// is required.
/// `in_memory`: a device that computes in this process is open, and none that needs ioctl.
std::vector<std::string> enter_sandbox(const protocol::Confined& confined, bool in_memory = false);

/// The memory that a run worker may take in addition to the arrays of a case, which are shared
/// memory, in bytes: a device that looks for races, undefined values and leaks has records for each
/// byte that a kernel touches. The first call must come before the sandbox.
uint64_t run_bytes(uint64_t arrays);

/// The memory of this machine, in bytes, whatever a container may use of it.
uint64_t machine_memory();

/// Half of the memory that this machine or its container may use, in bytes; cgroup(7), both
/// versions.
uint64_t half_of_memory();

}  // namespace warpmark
