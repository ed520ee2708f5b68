// A driver: its function table, its capabilities beyond the driver API, and its errors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "driver/table.hpp"
#include "warpmark/device.h"

namespace warpmark {

/// The version of the cuda.h that we were built with, in the driver's form: 13000 for 13.0.
int header_cuda_version();

/// The capabilities of a driver library beyond the driver API; see warpmark/device.h.
enum class Capability : uint32_t {
  image_ptx = WARPMARK_IMAGE_PTX,
  exact_bounds = WARPMARK_EXACT_BOUNDS,
  reports = WARPMARK_REPORTS,
  counters = WARPMARK_COUNTERS,
  deterministic = WARPMARK_DETERMINISTIC,
  checks = WARPMARK_CHECKS,
  profile = WARPMARK_PROFILE,
  baseline_features = WARPMARK_BASELINE_FEATURES,
  debugger = WARPMARK_DEBUGGER,
};

/// Finds a capability by the name that a suite's `requires` uses ("exact_bounds"); nothing if there
/// is none.
std::optional<Capability> find_capability(std::string_view name);
std::string_view capability_name(Capability capability);

/// All capabilities.
std::vector<Capability> all_capabilities();

/// A driver call that failed. A sticky error makes its context useless: every later call repeats
/// it, so that only a new process (or context) can continue. The exit code is a verdict if it is
/// sticky, because a kernel caused it, else environment.
class DriverError : public Error {
 public:
  DriverError(CUresult result, std::string message, std::string hint = {});
  CUresult result() const { return result_; }
  bool sticky() const { return is_sticky(result_); }
  static bool is_sticky(CUresult result);

 private:
  CUresult result_;
};

/// Always held by shared_ptr: devices, contexts and all objects that they own keep their driver.
/// Libraries are never closed, because NVIDIA's leaves threads behind.
class Driver {
 public:
  /// NVIDIA's driver, libcuda.so.1 by the loader's path. Throws an environment error with advice.
  static std::shared_ptr<Driver> open_gpu();
  /// A library with the driver API, by path. Throws an environment error.
  static std::shared_ptr<Driver> open(const std::string& path);
  /// A driver made by the caller, as tests do; `extension` may be null and must outlive the driver.
  static std::shared_ptr<Driver> from_table(const DriverTable& table, std::string name,
                                            const warpmark_device* extension = nullptr);

  const DriverTable& table() const { return table_; }
  /// The name that was opened: "libcuda.so.1", a path, or the fake's name.
  const std::string& name() const { return name_; }
  /// The file that the loader chose; for `doctor`. Empty for a fake.
  const std::string& path() const { return path_; }
  bool has(Capability capability) const;

  /// cuInit; to be called before any other call, any number of times.
  void init();
  /// The CUDA version that the driver supports, as in 13000.
  int version() const;

  /// Calls a function of the table. Throws DriverError unless it succeeds, with `object()` naming
  /// the object of the call (only built on failure), or an environment error if the driver lacks
  /// the function.
  template <typename... Parameters, typename Object, typename... Arguments>
  void call(const DriverFunction<Parameters...>& function, const Object& object,
            Arguments... arguments) const {
    require(static_cast<bool>(function), function.symbol, function.needed_for);
    const CUresult result = function.pointer(arguments...);
    if (result != CUDA_SUCCESS) throw failure(result, function.symbol, object());
  }

  /// Throws an environment error if a call reported success but gave no handle, so that a broken
  /// driver is named at the call that is wrong.
  template <typename... Parameters, typename Handle, typename Object>
  void expect(Handle handle, const DriverFunction<Parameters...>& function,
              const Object& object) const {
    if (handle == Handle{}) throw no_handle(function.symbol, object());
  }

  /// `call` for destructors: never throws, and warns once for the whole driver; except for a sticky
  /// error, with which every release fails after the call that threw it.
  template <typename... Parameters, typename... Arguments>
  void release(const DriverFunction<Parameters...>& function,
               Arguments... arguments) const noexcept {
    const CUresult result = function.pointer ? function.pointer(arguments...) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS) warn_release(result, function.symbol);
  }

  /// Sets the sink of the warning; stderr unless set. The sink must not throw.
  void on_warning(std::function<void(const std::string&)> sink) { sink_ = std::move(sink); }

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered", in this driver's
  /// text.
  std::string describe(CUresult result) const;
  DriverError failure(CUresult result, const char* symbol, const std::string& object,
                      const std::string& detail = {}) const;

  /// Sets options of a context from a JSON object, as device.h lists them. Throws an error with the
  /// library's reason, or naming the driver if it has no options.
  void configure(CUcontext context, const std::string& json) const;
  /// Names device memory for reports; does nothing if the driver gives no reports.
  void label(CUcontext context, CUdeviceptr address, uint64_t bytes, const std::string& name,
             const std::string& dtype) const;
  /// Sets the size of the elements in labelled memory for kernels: bytes that have a value as a
  /// whole, or 0 for records; no effect with drivers that do not need it.
  void elements(CUcontext context, CUdeviceptr address, uint64_t bytes) const;
  /// Declares labelled memory as rows with gaps between them: a kernel that writes to a gap faults.
  /// No effect with drivers that know no such bounds.
  void rows(CUcontext context, CUdeviceptr address, uint64_t row, uint64_t pitch) const;
  /// can_protect() returns true if the driver can forbid kernels to write to an allocation;
  /// protect() does so: a kernel that writes to the allocation of these bytes from now on faults.
  bool can_protect() const;
  void protect(CUcontext context, CUdeviceptr address, uint64_t bytes) const;
  /// Makes the bytes count as never written, for drivers that look for uses of such bytes; no
  /// effect with others.
  void forget(CUcontext context, CUdeviceptr address, uint64_t bytes) const;
  /// Each report or counter line since the last call; nothing if the driver gives none.
  void drain_reports(CUcontext context, const std::function<void(std::string_view)>& sink) const;
  void drain_counters(CUcontext context, const std::function<void(std::string_view)>& sink) const;
  /// One JSON object for each symbol of the driver API (warpmark/device.h); none for NVIDIA's.
  void list_symbols(const std::function<void(std::string_view)>& sink) const;
  /// Has a debugger called at points of every launch of this process, null: of none any more; it
  /// must outlive them. Returns the functions that its `call` may use. Throws an environment error
  /// for a driver that cannot stop launches.
  const warpmark_debug_view& debug(warpmark_debugger* debugger) const;
  /// The library's own text about the failure of the last call on this thread; "" if it has none.
  std::string last_error() const;

 private:
  Driver(const DriverTable& table, std::string name, const warpmark_device* extension);
  Error no_handle(const char* symbol, const std::string& object) const;
  void require(bool present, const char* symbol, const char* needed_for) const;
  void warn_release(CUresult result, const char* symbol) const noexcept;

  DriverTable table_;
  std::string name_;
  std::string path_;
  warpmark_device extension_{};  ///< members that the library's `size` does not cover are null
  std::function<void(const std::string&)> sink_;
  mutable bool warned_ = false;
};

}  // namespace warpmark
