// Copies of large initial values on the device, for the next run of a case and for other processes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "driver/ipc_memory.hpp"
#include "driver/memory.hpp"
#include "worker/initial_value.hpp"

namespace warpmark {

/// Host memory is copied to a device at 55 GB/s at best, and at 5 where its pages must be mapped and
/// registered first; the device's own memory at 4 TB/s. A case is checked, and then timed in several
/// processes, all from the same initial values. A worker keeps the large ones, and others open what
/// it keeps. Never while grading: a kernel could change what the next run is given.
class InitialCopies {
 public:
  /// The copy of the value; null if none is kept.
  const DeviceMemory* find(const InitialValue& value) const;
  /// Drops all, and lets copies be kept as long as so many bytes of the device stay free.
  void begin(uint64_t spare) {
    copies_.clear();
    spare_ = spare;
  }
  /// Keeps no more copies than there are.
  void end() { spare_.reset(); }
  /// Keeps the value that the buffer has, which is `value`, between begin and end.
  void keep(const std::shared_ptr<const Context>& context, const DeviceMemory& buffer,
            const InitialValue& value);
  /// Opens a copy that another process keeps, by its handle (`shared`). A handle that cannot be
  /// opened has no effect.
  void open(const std::shared_ptr<const Context>& context, const std::string& handle,
            const InitialValue& value);
  /// A handle for other processes; "" if no copy of `value` is kept, or none can be shared.
  std::string shared(const InitialValue& value) const;
  void drop(const InitialValue& value) { copies_.erase(value.identity()); }
  void clear() { copies_.clear(); }
  /// Closes what belongs to other processes, which may free it.
  void close_opened();

 private:
  struct Copy {
    std::shared_ptr<const Context> context;
    DeviceMemory own;  ///< of this process
    IpcMemory opened;  ///< of another process, if it is not our own
    const DeviceMemory& memory() const { return opened ? opened.memory() : own; }
  };
  std::map<uint64_t, Copy> copies_;  ///< by InitialValue::identity
  std::optional<uint64_t> spare_;
};

}  // namespace warpmark
