// Move-only ownership of one driver handle, with the context that it lives in.
#pragma once

#include <memory>
#include <utility>

#include "driver/context.hpp"

namespace warpmark {

template <auto destroy>
class UniqueHandle;

/// Owns a handle and keeps its context; `destroy` is the function of the driver that ends it.
template <typename Handle, DriverFunction<Handle> DriverTable::*destroy>
class UniqueHandle<destroy> {
 public:
  UniqueHandle() = default;
  UniqueHandle(std::shared_ptr<const Context> context, Handle handle)
      : context_(std::move(context)), handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept { swap(other); }
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    UniqueHandle taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~UniqueHandle() {
    if (handle_ == Handle{}) return;
    context_->run_for_release(
        [this] { context_->driver().release(context_->table().*destroy, handle_); });
  }

  Handle get() const { return handle_; }
  const std::shared_ptr<const Context>& context() const { return context_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  void swap(UniqueHandle& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
  }

  std::shared_ptr<const Context> context_;
  Handle handle_{};
};

}  // namespace warpmark
