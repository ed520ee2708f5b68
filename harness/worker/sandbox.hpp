// The sandbox of a worker that handles untrusted code: entered once, never left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmark::sandbox {

/// What the process may take, for good; 0 leaves what it has.
struct Limits {
  uint64_t address_space = 0;  ///< bytes; leave 0 with a GPU's driver, which reserves terabytes
  double cpu_s = 0;            ///< then SIGXCPU ends it; rounded up to whole seconds
};
/// Sets the limits, and no core files, no files to grow, no dumping, no new privileges. Throws an
/// environment error.
void limit_resources(const Limits& limits);

/// Private writable memory of this process, in bytes, as RLIMIT_DATA counts it. To be asked before
/// entering the sandbox, which hides it; 0 if the system does not say.
uint64_t private_bytes();
/// No more than so much of it from now on; may be called again, in the sandbox, too. What asks
/// for more gets none. Not with a GPU's driver.
void limit_data(uint64_t bytes);
/// Sets the hard limit of data, which nothing lifts again: limit_data() allows no more from now on.
void limit_data_for_good(uint64_t bytes);

/// Forbids every file that can be named, and where the kernel can, TCP (ABI 4), abstract sockets and
/// signals to others (ABI 6). Returns the kernel's Landlock ABI (landlock(7)); nothing if it has none, or
/// if what is forbidden can still be done.
std::optional<int> landlock();

/// Which system calls a worker needs in the sandbox.
enum class Calls : uint8_t {
  compute,    ///< memory, threads, its open descriptors
  in_memory,  ///< those, memory that is shared, and the soft limit of limit_data()
  device      ///< those, and ioctl for a device that is open
};
/// Lets pass only the calls on a list, for all threads (seccomp(2)). Calls that take a path answer
/// ENOENT, others EPERM. Returns false if the kernel or the processor's architecture has no such
/// filter, or if what is forbidden can still be done.
bool filter_calls(Calls allowed);

/// What of the things that no sandboxed process should be able to do, this one can: "open a file",
/// "connect to a network" … Empty is best.
std::vector<std::string> leaks();

}  // namespace warpmark::sandbox
