// Memory: allocation, copies, fills, pinned host memory, pointer queries.
#include <cstdint>
#include <cstring>
#include <new>

#include "api/state.hpp"

// NOLINTBEGIN(performance-no-int-to-ptr): the driver API passes addresses as integers.
namespace warpmark::cpu {
namespace {

// A call's device range, or null with an error's text. Copies are checked to the byte, as kernels
// are.
std::byte* device_range(Context& context, CUdeviceptr address, std::size_t bytes) {
  if (context.arena.find(address, bytes) == nullptr) {
    const Nearest nearest = context.arena.nearest(address, bytes);
    std::string text =
        "the range of " + std::to_string(bytes) + " bytes is not inside one allocation";
    if (nearest.allocation != nullptr) {
      text += "; the nearest has " + std::to_string(nearest.allocation->bytes) + " bytes";
      if (!nearest.allocation->live) text += " and was freed";
    }
    last_error() = text;
    return nullptr;
  }
  return context.arena.host(address);
}

bool is_device(const Context& context, std::uint64_t address) {
  return context.arena.contains(address);
}

// Copies between device and host memory in any direction; which is which is known by the address if
// `unified`. Streams execute at once, so there is nothing to wait for.
CUresult copy(Context& context, std::uint64_t to, std::uint64_t from, std::size_t bytes,
              bool to_device, bool from_device) {
  if (bytes == 0) return CUDA_SUCCESS;
  std::byte* target =
      to_device ? device_range(context, to, bytes) : reinterpret_cast<std::byte*>(to);
  const std::byte* source =
      from_device ? device_range(context, from, bytes) : reinterpret_cast<const std::byte*>(from);
  if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!to_device && is_device(context, to)) return CUDA_ERROR_INVALID_VALUE;
  if (!from_device && is_device(context, from)) return CUDA_ERROR_INVALID_VALUE;
  std::memmove(target, source, bytes);
  return CUDA_SUCCESS;
}

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

template <typename T>
CUresult fill(Context& context, CUdeviceptr address, T value, std::size_t count) {
  if (address % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (count == 0) return CUDA_SUCCESS;
  if (count > DeviceProperties::total_memory) return CUDA_ERROR_INVALID_VALUE;
  std::byte* target = device_range(context, address, count * sizeof(T));
  if (target == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(target + i * sizeof(T), &value, sizeof(T));
  return CUDA_SUCCESS;
}

template <typename Body>
CUresult asynchronous(const char* name, CUstream stream, Body body) {
  return with_context(name, Waits::no, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    // Work behind a failed launch is never executed.
    return context.pending != CUDA_SUCCESS ? CUDA_SUCCESS : body(context);
  });
}

CUresult allocate_host(void** pointer, std::size_t bytes) {
  return with_context("cuMemHostAlloc", Waits::no, [&](Context& context) -> CUresult {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    *pointer = ::operator new (bytes, std::align_val_t{4096});
    context.host[number(*pointer)] = {bytes, true};
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return with_context("cuMemGetInfo", Waits::no, [&](Context& context) -> CUresult {
    if (free != nullptr) *free = context.arena.capacity() - context.arena.used();
    if (total != nullptr) *total = context.arena.capacity();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return with_context("cuMemAlloc", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    *address = context.arena.allocate(bytes);
    return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                            unsigned int element) {
  return with_context("cuMemAllocPitch", Waits::no, [&](Context& context) -> CUresult {
    if (address == nullptr || pitch == nullptr || width == 0 || height == 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    if (width > DeviceProperties::total_memory || height > DeviceProperties::total_memory)
      return CUDA_ERROR_OUT_OF_MEMORY;
    *pitch = (width + 511) / 512 * 512;
    if (height > DeviceProperties::total_memory / *pitch) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = context.arena.allocate(*pitch * height);
    return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return with_context("cuMemFree", Waits::yes, [&](Context& context) -> CUresult {
    if (address == 0) return CUDA_SUCCESS;
    for (const auto& [handle, module] : context.modules) {
      for (const auto& [name, variable] : module->addresses) {
        if (variable == address) return CUDA_ERROR_INVALID_VALUE;
      }
    }
    if (context.arena.free(address)) return CUDA_SUCCESS;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the address is not that of a live allocation (freed twice, or never allocated)");
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return with_context("cuMemGetAddressRange", Waits::no, [&](Context& context) -> CUresult {
    const Allocation* allocation = context.arena.find(address, 1);
    if (allocation == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  if ((flags & ~7u) != 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate_host(pointer, bytes);
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  return allocate_host(pointer, bytes);
}

CUresult cuMemFreeHost(void* pointer) {
  return with_context("cuMemFreeHost", Waits::yes, [&](Context& context) -> CUresult {
    if (pointer == nullptr) return CUDA_SUCCESS;
    const auto found = context.host.find(number(pointer));
    if (found == context.host.end() || !found->second.owned) return CUDA_ERROR_INVALID_VALUE;
    ::operator delete (pointer, std::align_val_t{4096});
    context.host.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned int) {
  return with_context("cuMemHostRegister", Waits::no, [&](Context& context) -> CUresult {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    auto after = context.host.lower_bound(number(pointer));
    if (after != context.host.end() && after->first < number(pointer) + bytes)
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (after != context.host.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second.bytes > number(pointer))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    context.host[number(pointer)] = {bytes, false};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return with_context("cuMemHostUnregister", Waits::yes, [&](Context& context) -> CUresult {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = context.host.find(number(pointer));
    if (found == context.host.end() || found->second.owned)
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    context.host.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return with_context("cuMemcpyHtoD", Waits::yes,
                      [&](Context& c) { return copy(c, to, number(from), bytes, true, false); });
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return with_context("cuMemcpyDtoH", Waits::yes,
                      [&](Context& c) { return copy(c, number(to), from, bytes, false, true); });
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return with_context("cuMemcpyDtoD", Waits::yes,
                      [&](Context& c) { return copy(c, to, from, bytes, true, true); });
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return with_context("cuMemcpy", Waits::yes, [&](Context& c) {
    return copy(c, to, from, bytes, is_device(c, to), is_device(c, from));
  });
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return asynchronous("cuMemcpyHtoDAsync", stream,
                      [&](Context& c) { return copy(c, to, number(from), bytes, true, false); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return asynchronous("cuMemcpyDtoHAsync", stream,
                      [&](Context& c) { return copy(c, number(to), from, bytes, false, true); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return asynchronous("cuMemcpyDtoDAsync", stream,
                      [&](Context& c) { return copy(c, to, from, bytes, true, true); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return asynchronous("cuMemcpyAsync", stream, [&](Context& c) {
    return copy(c, to, from, bytes, is_device(c, to), is_device(c, from));
  });
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return with_context("cuMemsetD8", Waits::yes,
                      [&](Context& c) { return fill(c, to, value, count); });
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return with_context("cuMemsetD16", Waits::yes,
                      [&](Context& c) { return fill(c, to, value, count); });
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count) {
  return with_context("cuMemsetD32", Waits::yes,
                      [&](Context& c) { return fill(c, to, value, count); });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return asynchronous("cuMemsetD8Async", stream,
                      [&](Context& c) { return fill(c, to, value, count); });
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return asynchronous("cuMemsetD16Async", stream,
                      [&](Context& c) { return fill(c, to, value, count); });
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return asynchronous("cuMemsetD32Async", stream,
                      [&](Context& c) { return fill(c, to, value, count); });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return with_context("cuPointerGetAttribute", Waits::no, [&](Context& context) -> CUresult {
    if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Allocation* allocation = context.arena.find(address, 1);
    auto after = context.host.upper_bound(address);
    const bool host = after != context.host.begin() &&
                      std::prev(after)->first + std::prev(after)->second.bytes > address;
    if (allocation == nullptr && !host) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(data) = reinterpret_cast<CUcontext>(&context);
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned int*>(data) = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        if (host) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<CUdeviceptr*>(data) = address;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<void**>(data) = reinterpret_cast<void*>(address);
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<int*>(data) = 0;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        if (host) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<CUdeviceptr*>(data) = allocation->address;
        return CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        if (host) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<std::size_t*>(data) = allocation->bytes;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  });
}

}  // extern "C"
// NOLINTEND(performance-no-int-to-ptr)
