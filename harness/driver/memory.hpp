// Device memory, copies to and from it, and host memory registered for fast copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/guarded_mapping.hpp"
#include "driver/handle.hpp"
#include "driver/stream.hpp"

namespace warpmark {

/// A block of device memory with a name for error texts. Copies and fills are complete when they
/// return, for every stream. The driver's own calls are not: cuMemcpyHtoD from pageable memory,
/// cuMemcpyDtoD and cuMemset may return early, and our streams do not wait for the default one
/// (seen on an H200: a fill of an output overtook the kernel that was launched after it).
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// `bytes` may be 0: the block then has no address. Throws DriverError naming free and wanted
  /// bytes.
  DeviceMemory(std::shared_ptr<const Context> context, size_t bytes, std::string name = "buffer");

  /// The end of a block that lies at the end of its pages, so that an access beyond it faults.
  enum class Edge : uint8_t { front, back };
  /// A block in separate pages (GuardedMapping). The rest of the pages, at most 15 bytes after an
  /// Edge::back, is filled with canaries.
  static DeviceMemory guarded(std::shared_ptr<const Context> context, size_t bytes,
                              std::string name, Edge edge);
  /// A block that is part of another, as a variable is of its module, which must outlive it.
  static DeviceMemory view(std::shared_ptr<const Context> context, CUdeviceptr address,
                           size_t bytes, std::string name);
  /// Makes a kernel that writes to the block from now on fault, if the block is guarded or the
  /// driver can protect allocations; else nothing happens.
  void forbid_writes();
  /// True if a write changed the canaries around a guarded block.
  bool neighbours_changed() const;

  CUdeviceptr address() const { return address_; }
  size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  /// Copies to the block from byte `offset` on; data that does not fit is an internal error.
  void upload(std::span<const std::byte> from, size_t offset = 0);
  void download(std::span<std::byte> to, size_t offset = 0) const;
  void copy_from(const DeviceMemory& other);
  /// Copies `bytes` from byte `from` of another block, which may be another device's, to byte `to`.
  void copy_part(size_t to, const DeviceMemory& other, size_t from, size_t bytes);
  /// Sets every byte.
  void fill(unsigned char value);

  // The same in a stream, without waiting. Host memory must stay until the stream has passed the
  // copy; the driver first copies memory that is not locked.
  void upload(std::span<const std::byte> from, const Stream& stream);
  void download(std::span<std::byte> to, const Stream& stream) const;
  void copy_from(const DeviceMemory& other, const Stream& stream);
  void fill(unsigned char value, const Stream& stream);
  /// For error texts: "1,600 bytes of `dest`, context …".
  std::string identify() const;

 private:
  void check_range(size_t offset, size_t count) const;
  template <typename Function, typename... Arguments>
  void call(Function function, Arguments... arguments) const {
    context_->call(
        function, [this] { return identify(); }, arguments...);
  }

  /// The rest of the pages before and behind the block.
  std::vector<std::pair<CUdeviceptr, size_t>> canaries() const;

  std::shared_ptr<const Context> context_;
  UniqueHandle<&DriverTable::mem_free> handle_;  ///< handle of a plain block
  std::unique_ptr<GuardedMapping> pages_;        ///< pages of a guarded block
  CUdeviceptr address_ = 0;
  size_t bytes_ = 0;
  std::string name_;
};

/// Host pages locked for the driver, so that copies need no staging; the pages must outlive it.
class HostRegistration {
 public:
  HostRegistration() = default;
  /// `address` and `bytes` should be whole pages. Throws DriverError, or an environment error if
  /// the driver cannot.
  HostRegistration(const std::shared_ptr<const Context>& context, void* address, size_t bytes);
  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  UniqueHandle<&DriverTable::mem_host_unregister> handle_;
};

}  // namespace warpmark
