#include "driver/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpmark {

namespace {

// The largest single access of a kernel: a block at a multiple of it is aligned for any access.
constexpr size_t kVectorBytes = 16;
constexpr unsigned char kCanary = 0xA5;

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context, size_t bytes, std::string name)
    : context_(context), bytes_(bytes), name_(std::move(name)) {
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
  handle_ = {std::move(context), address};
  address_ = address;
}

DeviceMemory DeviceMemory::view(std::shared_ptr<const Context> context, CUdeviceptr address,
                                size_t bytes, std::string name) {
  DeviceMemory made;
  made.context_ = std::move(context);
  made.address_ = address;
  made.bytes_ = bytes;
  made.name_ = std::move(name);
  return made;
}

DeviceMemory DeviceMemory::guarded(std::shared_ptr<const Context> context, size_t bytes,
                                   std::string name, Edge edge) {
  DeviceMemory made;
  made.context_ = std::move(context);
  made.bytes_ = bytes;
  made.name_ = std::move(name);
  if (bytes == 0) return made;
  made.pages_ =
      std::make_unique<GuardedMapping>(made.context_, bytes, [&made] { return made.identify(); });
  made.address_ = made.pages_->begin();
  if (edge == Edge::back) {
    const size_t before = made.pages_->bytes() - bytes;
    made.address_ += before / kVectorBytes * kVectorBytes;
  }
  for (const auto& [begin, count] : made.canaries())
    made.call(&DriverTable::memset_d8, begin, kCanary, count);
  made.context_->synchronize();
  return made;
}

std::vector<std::pair<CUdeviceptr, size_t>> DeviceMemory::canaries() const {
  std::vector<std::pair<CUdeviceptr, size_t>> ranges;
  if (!pages_) return ranges;
  const CUdeviceptr end = address_ + bytes_;
  const CUdeviceptr last = pages_->begin() + pages_->bytes();
  if (address_ > pages_->begin()) ranges.emplace_back(pages_->begin(), address_ - pages_->begin());
  if (last > end) ranges.emplace_back(end, last - end);
  return ranges;
}

void DeviceMemory::forbid_writes() {
  if (bytes_ == 0) return;
  if (pages_) {
    pages_->forbid_writes();
  } else if (context_->driver().can_protect()) {
    context_->driver().protect(context_->handle(), address_, bytes_);
  }
}

bool DeviceMemory::neighbours_changed() const {
  std::vector<unsigned char> found;
  for (const auto& [begin, count] : canaries()) {
    found.resize(count);
    call(&DriverTable::memcpy_dtoh, static_cast<void*>(found.data()), begin, count);
    if (std::ranges::any_of(found, [](unsigned char byte) { return byte != kCanary; })) {
      return true;
    }
  }
  return false;
}

void DeviceMemory::check_range(size_t offset, size_t count) const {
  if (offset <= bytes_ && count <= bytes_ - offset) return;
  throw internal_error(fmt::format("a copy of {} bytes at byte {} of `{}`, which has {} bytes",
                                   count, offset, name_, bytes_));
}

void DeviceMemory::upload(std::span<const std::byte> from, size_t offset) {
  check_range(offset, from.size());
  if (from.empty()) return;
  call(&DriverTable::memcpy_htod, address() + offset, from.data(), from.size());
  context_->synchronize();
}

void DeviceMemory::download(std::span<std::byte> to, size_t offset) const {
  check_range(offset, to.size());
  if (to.empty()) return;
  call(&DriverTable::memcpy_dtoh, to.data(), address() + offset, to.size());
}

void DeviceMemory::upload(std::span<const std::byte> from, const Stream& stream) {
  check_range(0, from.size());
  if (from.empty()) return;
  call(&DriverTable::memcpy_htod_async, address(), from.data(), from.size(), stream.get());
}

void DeviceMemory::download(std::span<std::byte> to, const Stream& stream) const {
  check_range(0, to.size());
  if (to.empty()) return;
  call(&DriverTable::memcpy_dtoh_async, to.data(), address(), to.size(), stream.get());
}

void DeviceMemory::copy_from(const DeviceMemory& other) {
  check_range(0, other.bytes());
  if (other.bytes() == 0) return;
  call(&DriverTable::memcpy_dtod, address(), other.address(), other.bytes());
  context_->synchronize();
}

void DeviceMemory::copy_part(size_t to, const DeviceMemory& other, size_t from, size_t bytes) {
  check_range(to, bytes);
  other.check_range(from, bytes);
  if (bytes == 0) return;
  if (other.context_ == context_) {
    call(&DriverTable::memcpy_dtod, address() + to, other.address() + from, bytes);
  } else {
    call(&DriverTable::memcpy_peer, address() + to, context_->handle(), other.address() + from,
         other.context_->handle(), bytes);
    other.context_->synchronize();
  }
  context_->synchronize();
}

void DeviceMemory::fill(unsigned char value) {
  if (bytes_ == 0) return;
  call(&DriverTable::memset_d8, address(), value, bytes_);
  context_->synchronize();
}

void DeviceMemory::copy_from(const DeviceMemory& other, const Stream& stream) {
  check_range(0, other.bytes());
  if (other.bytes() == 0) return;
  call(&DriverTable::memcpy_dtod_async, address(), other.address(), other.bytes(), stream.get());
}

void DeviceMemory::fill(unsigned char value, const Stream& stream) {
  if (bytes_ == 0) return;
  call(&DriverTable::memset_d8_async, address(), value, bytes_, stream.get());
}

std::string DeviceMemory::identify() const {
  const std::string where = context_ ? ", " + context_->identify() : "";
  return fmt::format("{} of `{}`{}", format_bytes(bytes_), name_, where);
}

HostRegistration::HostRegistration(const std::shared_ptr<const Context>& context, void* address,
                                   size_t bytes) {
  const auto object = [&] {
    return fmt::format("{} of host memory, {}", format_bytes(bytes), context->identify());
  };
  context->call(&DriverTable::mem_host_register, object, address, bytes, 0U);
  handle_ = {context, address};
}

}  // namespace warpmark
