// Device memory of another process.
#pragma once

#include <memory>
#include <string>

#include "driver/handle.hpp"
#include "driver/memory.hpp"

namespace warpmark {

/// A block of a process that lives on, opened by its handle.
class IpcMemory {
 public:
  IpcMemory() = default;
  /// Opens `bytes` bytes. Throws DriverError, or an environment error if the driver cannot; an
  /// internal error for a text that is no handle.
  IpcMemory(const std::shared_ptr<const Context>& context, const std::string& handle, size_t bytes);
  explicit operator bool() const { return static_cast<bool>(handle_); }
  const DeviceMemory& memory() const { return memory_; }

  /// The handle of a block for other processes, as hexadecimal digits. Throws as the constructor.
  static std::string handle_of(const std::shared_ptr<const Context>& context,
                               const DeviceMemory& memory);

 private:
  UniqueHandle<&DriverTable::ipc_close_mem_handle> handle_;
  DeviceMemory memory_;
};

}  // namespace warpmark
