// The sandbox of a worker that handles untrusted code: entered once, never left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmark::sandbox {

/// The permanent limits of the process; 0 leaves the present one.
struct Limits {
  uint64_t address_space = 0;  ///< bytes; leave 0 with a GPU's driver, which reserves terabytes
  double cpu_s = 0;            ///< limit at which SIGXCPU ends it; rounded up to whole seconds
};
/// Sets the limits, and no core files, no files to grow, no dumping, no new privileges. Throws an
/// environment error.
void limit_resources(const Limits& limits);

/// Private writable memory of this process, in bytes, as RLIMIT_DATA counts it. To be asked before
/// entering the sandbox, which hides it; 0 if the system does not say.
uint64_t private_bytes();
/// Likewise its address space, as RLIMIT_AS counts it.
uint64_t address_space();
/// Limits this memory from now on; may be called again, in the sandbox, too. Allocations beyond the
/// limit fail. Not for use with a GPU's driver.
void limit_data(uint64_t bytes);
/// Sets the hard limit of data, which nothing lifts again: limit_data() allows no more from now on.
void limit_data_for_good(uint64_t bytes);

/// Lets the process open few descriptors more; those that are open stay.
void limit_descriptors();

/// Forbids every file that can be named, and where the kernel can, TCP (ABI 4), abstract sockets
/// and signals to others (ABI 6). Returns the kernel's Landlock ABI (landlock(7)); nothing if it
/// has none, or if a forbidden action is still possible.
std::optional<int> landlock();

/// The system calls that a worker needs in the sandbox.
enum class Calls : uint8_t {
  program,    ///< private memory, its open descriptors: no threads, pipes or passed descriptors
  compute,    ///< those of `program`, threads, and new descriptors without names
  in_memory,  ///< those of `compute`, shared memory, and the soft limit of limit_data()
  device      ///< those of `compute`, and ioctl for a device that is open
};
/// Lets pass only the calls on a list, for all threads (seccomp(2)). Calls that take a path answer
/// ENOENT, others EPERM. Returns false if the kernel or the processor's architecture has no such
/// filter, or if a forbidden action is still possible.
bool filter_calls(Calls allowed);

/// The names of the mechanisms that form a sandbox, among those that hold. Landlock alone is one
/// from ABI 6 on: before that it allows signals to other processes (docs/threat-model.md has the
/// table).
std::vector<std::string> walls_that_hold(std::optional<int> landlock_abi, bool is_filtered);

/// Enters the sandbox, in the order that works: limits, Landlock, the filter of system calls; tries
/// each, and returns walls_that_hold(). Throws an environment error if a limit cannot be set.
std::vector<std::string> enter(const Limits& limits, Calls allowed);

/// The actions that should be impossible in a sandboxed process, but are possible in this one:
/// "open a file", "connect to a network" … Empty is best.
std::vector<std::string> leaks();

}  // namespace warpmark::sandbox
