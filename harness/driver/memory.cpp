#include "driver/memory.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace warpmark {

void DeviceMemoryTraits::release(const Context& context, Handle handle) noexcept {
  context.driver().release(context.table().mem_free, handle);
}

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context, size_t bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  CUdeviceptr address = 0;
  if (bytes > 0) {
    const ScopedContext current(*context);
    const auto object = [&] {
      size_t free = 0;
      size_t total = 0;
      context->table().mem_get_info.pointer(&free, &total);
      return fmt::format("{} for `{}`, {} of {} free, {}", format_bytes(bytes), name_,
                         format_bytes(free), format_bytes(total), context->identify());
    };
    context->driver().call(context->table().mem_alloc, object, &address, bytes);
    context->driver().expect(address, context->table().mem_alloc, object);
  }
  handle_ = UniqueHandle<DeviceMemoryTraits>(std::move(context), address);
}

void DeviceMemory::check_range(size_t offset, size_t count) const {
  if (offset <= bytes_ && count <= bytes_ - offset) return;
  throw internal_error(fmt::format("a copy of {} bytes at byte {} of `{}`, which has {} bytes",
                                   count, offset, name_, bytes_));
}

void DeviceMemory::upload(std::span<const std::byte> from, size_t offset) {
  check_range(offset, from.size());
  if (from.empty()) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memcpy_htod, [this] { return identify(); }, address() + offset, from.data(),
      from.size());
  context.synchronize();
}

void DeviceMemory::download(std::span<std::byte> to, size_t offset) const {
  check_range(offset, to.size());
  if (to.empty()) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memcpy_dtoh, [this] { return identify(); }, to.data(), address() + offset,
      to.size());
}

void DeviceMemory::copy_from(const DeviceMemory& other) {
  check_range(0, other.bytes());
  if (other.bytes() == 0) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memcpy_dtod, [this] { return identify(); }, address(), other.address(),
      other.bytes());
  context.synchronize();
}

void DeviceMemory::fill(unsigned char value) {
  if (bytes_ == 0) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memset_d8, [this] { return identify(); }, address(), value, bytes_);
  context.synchronize();
}

void DeviceMemory::copy_from(const DeviceMemory& other, const Stream& stream) {
  check_range(0, other.bytes());
  if (other.bytes() == 0) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memcpy_dtod_async, [this] { return identify(); }, address(), other.address(),
      other.bytes(), stream.get());
}

void DeviceMemory::fill(unsigned char value, const Stream& stream) {
  if (bytes_ == 0) return;
  const Context& context = *handle_.context();
  const ScopedContext current(context);
  context.driver().call(
      context.table().memset_d8_async, [this] { return identify(); }, address(), value, bytes_,
      stream.get());
}

std::string DeviceMemory::identify() const {
  const std::string where = handle_.context() ? ", " + handle_.context()->identify() : "";
  return fmt::format("{} of `{}`{}", format_bytes(bytes_), name_, where);
}

void HostRegistrationTraits::release(const Context& context, Handle handle) noexcept {
  context.driver().release(context.table().mem_host_unregister, handle);
}

HostRegistration::HostRegistration(const std::shared_ptr<const Context>& context, void* address,
                                   size_t bytes) {
  const ScopedContext current(*context);
  const auto object = [&] {
    return fmt::format("{} of host memory, {}", format_bytes(bytes), context->identify());
  };
  context->driver().call(context->table().mem_host_register, object, address, bytes, 0U);
  handle_ = UniqueHandle<HostRegistrationTraits>(context, address);
}

}  // namespace warpmark
