// Device memory with nothing mapped before and behind it, by the driver's virtual memory
// management.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "driver/context.hpp"

namespace warpmark {

/// Separate pages between unmapped ones: on hardware without a sanitizer an access to the first
/// byte beyond is a fault. The granularity is megabytes (2 MiB on an H200).
class GuardedMapping {
 public:
  /// True if the device and its driver support this.
  static bool is_there(const Context& context);

  /// Maps `bytes` > 0, rounded up to whole pages. Throws DriverError; `object` names the memory.
  GuardedMapping(std::shared_ptr<const Context> context, size_t bytes,
                 const std::function<std::string()>& object);
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping() { release(); }

  CUdeviceptr begin() const { return begin_; }
  size_t bytes() const { return bytes_; }  ///< bytes of the pages

  /// Makes a kernel that writes here from now on fault.
  void forbid_writes();

 private:
  void set_access(CUmemAccess_flags flags) const;
  void release() const noexcept;

  std::shared_ptr<const Context> context_;
  size_t page_ = 0, bytes_ = 0;
  CUmemGenericAllocationHandle pages_ = 0;
  CUdeviceptr reserved_ = 0, begin_ = 0;  ///< begin_ is set once the pages are mapped
};

}  // namespace warpmark
