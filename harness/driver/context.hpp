// A context of our own on a device, and making it current for a scope.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/device.hpp"

namespace warpmark {

struct MemoryInfo {
  uint64_t free = 0;   ///< bytes
  uint64_t total = 0;  ///< bytes
};

class Context;

/// Makes a context current on this thread until the end of the scope; costs one query if it already
/// is. Hold one around a timing loop, so that each call in it costs only that query.
class ScopedContext {
 public:
  [[nodiscard]] explicit ScopedContext(const Context& context);
  ~ScopedContext();
  ScopedContext(const ScopedContext&) = delete;
  ScopedContext& operator=(const ScopedContext&) = delete;

 private:
  const Context& context_;
  bool pushed_ = false;
};

/// A context made by cuCtxCreate, not the primary one: destroying it ends everything in it for
/// certain, a sticky error stays in it, and a host program's runtime API (with --in-process) shares
/// nothing with us. Never left current: operations make it current for their own duration.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// Throws DriverError. `flags` are cuCtxCreate's (CU_CTX_SCHED_…).
  static std::shared_ptr<Context> create(const Device& device, unsigned int flags = 0);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Device& device() const { return device_; }
  const Driver& driver() const { return *device_.driver(); }
  const DriverTable& table() const { return driver().table(); }
  CUcontext handle() const { return handle_; }

  /// Driver::call with the context current.
  template <typename... Parameters, typename Object, typename... Arguments>
  void call(DriverFunction<Parameters...> DriverTable::*function, const Object& object,
            Arguments... arguments) const {
    const ScopedContext current(*this);
    driver().call(table().*function, object, arguments...);
  }

  /// Waits for everything in the context; a kernel's fault appears here as a sticky DriverError.
  void synchronize() const;
  MemoryInfo memory_info() const;
  void set_limit(CUlimit limit, size_t value) const;
  /// Makes lines of the last-level cache that were told to persist ordinary ones, which a flush
  /// removes; nothing where the driver or the device knows no such lines.
  void reset_persisting_cache() const;
  /// For error texts: "context 0x… on device 0 (NVIDIA H200)".
  std::string identify() const;

  /// Runs a release with the context current as far as that can be had; for destructors.
  template <typename Release>
  void run_for_release(const Release& release) const noexcept {
    const bool pushed = push_for_release();
    release();
    if (pushed) pop_for_release();
  }

 private:
  explicit Context(Device device) : device_(std::move(device)) {}
  bool push_for_release() const noexcept;
  void pop_for_release() const noexcept;

  Device device_;
  CUcontext handle_ = nullptr;
};

}  // namespace warpmark
