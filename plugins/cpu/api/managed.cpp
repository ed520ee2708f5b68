// Hints about managed memory. It is always where both sides can use it, so that they change
// nothing but what a query answers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "api/capture.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kPage = 4096;  // advice is of whole pages

// The managed allocation that holds a range, or null.
const Allocation* managed(const Context& context, CUdeviceptr address, std::size_t bytes) {
  const Allocation* found = context.arena.find(address, bytes);
  return found != nullptr && context.managed.contains(found->address) ? found : nullptr;
}

// Calls `each` with what is said of the pages of a range; with `divide`, of those alone.
template <typename Each>
void for_pages(Context& context, const Allocation& allocation, CUdeviceptr address,
               std::size_t bytes, bool divide, Each each) {
  ManagedAdvice& all = context.managed[allocation.address];
  const std::uint64_t offset = address - allocation.address;
  const std::uint64_t begin = offset / kPage * kPage;
  const std::uint64_t end = (offset + bytes + kPage - 1) / kPage * kPage;
  if (divide) {
    for (const std::uint64_t border : {begin, end}) {
      if (border < allocation.bytes)
        all.emplace(border, std::prev(all.upper_bound(border))->second);
    }
  }
  for (auto at = std::prev(all.upper_bound(begin)); at != all.end() && at->first < end; ++at)
    each(at->second);
}

bool valid_place(CUdevice device) {
  return device == CU_DEVICE_CPU || driver().is_device(device);
}

CUresult advise(CUdeviceptr address, std::size_t bytes, unsigned int advice, CUdevice device) {
  return with_context_and_owner(
      "cuMemAdvise", Waits::no, AddressHandle{address}, [&](Context& context) -> CUresult {
        if (bytes == 0 || advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
            advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY || managed(context, address, bytes) == nullptr)
          return CUDA_ERROR_INVALID_VALUE;
        const bool names_device = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                                  advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                                  advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
        if (names_device && !valid_place(device)) return CUDA_ERROR_INVALID_DEVICE;
        const Allocation& found = *managed(context, address, bytes);
        for_pages(context, found, address, bytes, true, [&](PageAdvice& pages) {
          switch (advice) {
            case CU_MEM_ADVISE_SET_READ_MOSTLY:
            case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
              pages.read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
              break;
            case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
            case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
              pages.preferred =
                  advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ? device : CU_DEVICE_INVALID;
              break;
            default:
              std::erase(pages.accessed_by, device);
              if (advice == CU_MEM_ADVISE_SET_ACCESSED_BY) pages.accessed_by.push_back(device);
          }
        });
        return CUDA_SUCCESS;
      });
}

CUresult prefetch(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream) {
  return with_owner("cuMemPrefetchAsync", Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (!valid_place(device)) return CUDA_ERROR_INVALID_DEVICE;
    Context* owner = owner_of(AddressHandle{address});
    const Allocation* found = owner == nullptr ? nullptr : managed(*owner, address, bytes);
    if (bytes == 0 || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (capturing(context, stream)) return CUDA_ERROR_NOT_SUPPORTED;
    for_pages(*owner, *found, address, bytes, true,
              [&](PageAdvice& pages) { pages.last_prefetch = device; });
    return CUDA_SUCCESS;
  });
}

// A location as CUDA 12.2 names it; others than devices are the host.
CUdevice place(const CUmemLocation& location) {
  return number_in(location.type) == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}

// … and a device or the host as CUDA 12.2 names it.
CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};  // of no place, or of several
  if (device == CU_DEVICE_INVALID) return location;
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = std::max(device, 0);
  return location;
}

CUresult range_attribute(Context& context, void* data, std::size_t bytes, unsigned int attribute,
                         CUdeviceptr address, std::size_t count) {
  if (data == nullptr || bytes == 0 || bytes % 4 != 0 ||
      managed(context, address, count) == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<PageAdvice> all;
  for_pages(context, *managed(context, address, count), address, count, false,
            [&](const PageAdvice& pages) { all.push_back(pages); });
  // The value of a member if it is the same for all pages.
  const auto common = [&](auto member) {
    const int first = all.front().*member;
    const bool same =
        std::ranges::all_of(all, [&](const PageAdvice& one) { return one.*member == first; });
    return same ? first : CU_DEVICE_INVALID;
  };
  std::vector<int> answer(bytes / 4, CU_DEVICE_INVALID);
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      answer.assign(answer.size(), std::ranges::all_of(
                                       all, [](const PageAdvice& one) { return one.read_mostly; }));
      break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      answer[0] = common(&PageAdvice::preferred);
      break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      answer[0] = common(&PageAdvice::last_prefetch);
      break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      answer[0] = static_cast<int>(location_of(common(&PageAdvice::preferred)).type);
      break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      answer[0] = location_of(common(&PageAdvice::preferred)).id;
      break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      answer[0] = static_cast<int>(location_of(common(&PageAdvice::last_prefetch)).type);
      break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      answer[0] = location_of(common(&PageAdvice::last_prefetch)).id;
      break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
      std::size_t next = 0;
      for (const int device : all.front().accessed_by) {
        const bool everywhere = std::ranges::all_of(all, [&](const PageAdvice& one) {
          return std::ranges::find(one.accessed_by, device) != one.accessed_by.end();
        });
        if (everywhere && next < answer.size()) answer[next++] = device;
      }
      break;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(data, answer.data(), bytes);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return advise(address, bytes, number_in(advice), place(location));
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return advise(address, bytes, number_in(advice), device);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned int flags, CUstream stream) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : prefetch(address, bytes, place(location), stream);
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return prefetch(address, bytes, device, stream);
}

CUresult cuMemRangeGetAttribute(void* data, size_t bytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t count) {
  return with_context_and_owner(
      "cuMemRangeGetAttribute", Waits::no, AddressHandle{address}, [&](Context& context) {
        return range_attribute(context, data, bytes, number_in(attribute), address, count);
      });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* sizes, CUmem_range_attribute* attributes,
                                 size_t wanted, CUdeviceptr address, size_t count) {
  return with_context_and_owner(
      "cuMemRangeGetAttributes", Waits::no, AddressHandle{address},
      [&](Context& context) -> CUresult {
        if (data == nullptr || sizes == nullptr || attributes == nullptr || wanted == 0)
          return CUDA_ERROR_INVALID_VALUE;
        for (std::size_t i = 0; i < wanted; ++i) {
          const CUresult result =
              range_attribute(context, data[i], sizes[i], number_in(attributes[i]), address, count);
          if (result != CUDA_SUCCESS) return result;
        }
        return CUDA_SUCCESS;
      });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                unsigned int flags) {
  return with_owner("cuStreamAttachMemAsync", Waits::no, stream, [&](Context& context) -> CUresult {
    if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
    const Context* owner = owner_of(AddressHandle{address});
    const Allocation* found = owner == nullptr ? nullptr : managed(*owner, address, 1);
    if (found == nullptr || address != found->address || (bytes != 0 && bytes != found->bytes) ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
         flags != CU_MEM_ATTACH_SINGLE))
      return CUDA_ERROR_INVALID_VALUE;
    const bool legacy = stream == nullptr || stream == CU_STREAM_LEGACY;
    if (legacy && flags == CU_MEM_ATTACH_SINGLE)
      return fail(CUDA_ERROR_INVALID_VALUE, "the default stream is no single stream");
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
