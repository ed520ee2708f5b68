// Wrong calls about virtual memory: addresses, memory without one, and mappings; and about memory
// of other processes. The reference states CUDA_ERROR_INVALID_VALUE for what is wrong, and rarely
// says of what; where driver 580 gives something else, that is what is stated here.
#include "device/api/wrong_calls_parts.hpp"

namespace warpmark::test {

using namespace wrong;

namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;
constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemAllocationProp properties() {
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return made;
}

// Memory of a handle with one thing changed; released if it comes to be.
template <typename Change>
CUresult create(const Driver& driver, Change change, std::size_t bytes = kUnit,
                unsigned long long flags = 0) {
  CUmemAllocationProp prop = properties();
  change(prop);
  return made<CUmemGenericAllocationHandle>(
      [&](CUmemGenericAllocationHandle* handle) {
        return DRIVER(cuMemCreate)(handle, bytes, &prop, flags);
      },
      [&](CUmemGenericAllocationHandle handle) {
        DRIVER(cuMemRelease)
        (handle);
      });
}
void nothing(CUmemAllocationProp& /*prop*/) {}

struct Range {
  std::size_t bytes = kUnit, alignment = 0;
  CUdeviceptr wish = 0;
  unsigned long long flags = 0;
};
CUresult reserve(const Driver& driver, const Range& range) {
  return made<CUdeviceptr>(
      [&](CUdeviceptr* p) {
        return DRIVER(cuMemAddressReserve)(p, range.bytes, range.alignment, range.wish,
                                           range.flags);
      },
      [&](CUdeviceptr p) {
        DRIVER(cuMemAddressFree)
        (p, range.bytes);
      });
}

struct Mapped {
  CUdeviceptr at = 0;  ///< four units of addresses; the second and third are mapped, by themselves
  CUmemGenericAllocationHandle handle = 0;  ///< of one unit
};
// The result of a call on mapped memory, all of which goes afterwards.
template <typename Call>
CUresult mapped(const Driver& driver, Call call) {
  Mapped m;
  const CUmemAllocationProp prop = properties();
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (const CUresult result : {DRIVER(cuMemCreate)(&m.handle, kUnit, &prop, 0),
                                DRIVER(cuMemAddressReserve)(&m.at, 4 * kUnit, 0, 0, 0),
                                DRIVER(cuMemMap)(m.at + kUnit, kUnit, 0, m.handle, 0),
                                DRIVER(cuMemMap)(m.at + 2 * kUnit, kUnit, 0, m.handle, 0),
                                DRIVER(cuMemSetAccess)(m.at + kUnit, 2 * kUnit, &access, 1)}) {
    if (result != CUDA_SUCCESS) return CUDA_ERROR_UNKNOWN;
  }
  const CUresult result = call(m);
  for (CUdeviceptr at = m.at; at < m.at + 4 * kUnit; at += kUnit) DRIVER(cuMemUnmap)(at, kUnit);
  DRIVER(cuMemAddressFree)(m.at, 4 * kUnit);
  DRIVER(cuMemRelease)(m.handle);
  return result;
}

CUresult set_access(const Driver& driver, CUdeviceptr at, std::size_t bytes, int flags,
                    int device = 0) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = static_cast<CUmemAccess_flags>(flags);
  return DRIVER(cuMemSetAccess)(at, bytes, &access, 1);
}
CUresult get_access(const Driver& driver, CUdeviceptr at, int device) {
  unsigned long long flags = 0;
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  return DRIVER(cuMemGetAccess)(&flags, &location, at);
}

// One granule of a handle that has two.
CUresult map_half(const Driver& driver, CUdeviceptr at) {
  CUmemGenericAllocationHandle handle = 0;
  const CUmemAllocationProp prop = properties();
  if (DRIVER(cuMemCreate)(&handle, 2 * kUnit, &prop, 0) != CUDA_SUCCESS) return CUDA_ERROR_UNKNOWN;
  const CUresult result = DRIVER(cuMemMap)(at, kUnit, 0, handle, 0);
  if (result == CUDA_SUCCESS) DRIVER(cuMemUnmap)(at, kUnit);
  DRIVER(cuMemRelease)(handle);
  return result;
}

#define MAPPED(name, stated, call) \
  WRONG(name, stated, { return mapped(driver, [&](const Mapped& m) -> CUresult call); })

std::vector<WrongCall> of_addresses() {
  return {
      WRONG("cuMemAddressReserve: 0 bytes", kValue, { return reserve(driver, {0}); }),
      WRONG("cuMemAddressReserve: part of a page", kValue,
            { return reserve(driver, {kUnit + 1}); }),
      WRONG("cuMemAddressReserve: alignment 3 MiB", kValue,
            {
              return reserve(driver, {kUnit, 3u << 20});
            }),
      WRONG("cuMemAddressReserve: flags 1", kValue,
            {
              return reserve(driver, {kUnit, 0, 0, 1});
            }),
      WRONG("cuMemAddressReserve: null", kValue,
            { return DRIVER(cuMemAddressReserve)(nullptr, kUnit, 0, 0, 0); }),
      WRONG("cuMemAddressReserve: without a context", CUDA_SUCCESS,
            { return without_context(driver, s, [&] { return reserve(driver, {}); }); }),
      WRONG("cuMemAddressFree: not reserved", kValue,
            { return DRIVER(cuMemAddressFree)(s.buffer, kUnit); }),
      MAPPED("cuMemAddressFree: a part", kValue, { return DRIVER(cuMemAddressFree)(m.at, kUnit); }),
      MAPPED("cuMemAddressFree: from the middle", kValue,
             { return DRIVER(cuMemAddressFree)(m.at + 3 * kUnit, kUnit); }),
      MAPPED("cuMemAddressFree: while something is mapped", kOpen,
             { return DRIVER(cuMemAddressFree)(m.at, 4 * kUnit); }),
  };
}

std::vector<WrongCall> of_memory_handles() {
  return {
      WRONG("cuMemCreate: 0 bytes", kValue, { return create(driver, nothing, 0); }),
      WRONG("cuMemCreate: half a granule", kValue, { return create(driver, nothing, kUnit / 2); }),
      WRONG("cuMemCreate: 2^50 bytes", CUDA_ERROR_OUT_OF_MEMORY,
            { return create(driver, nothing, std::size_t{1} << 50); }),
      WRONG("cuMemCreate: flags 1", kValue, { return create(driver, nothing, kUnit, 1); }),
      WRONG("cuMemCreate: null", kValue,
            { return DRIVER(cuMemCreate)(nullptr, kUnit, nullptr, 0); }),
      WRONG("cuMemCreate: no type", kValue,
            {
              return create(driver, [](auto& prop) { prop.type = CU_MEM_ALLOCATION_TYPE_INVALID; });
            }),
      WRONG("cuMemCreate: no place", kValue,
            {
              return create(driver,
                            [](auto& prop) { prop.location.type = CU_MEM_LOCATION_TYPE_INVALID; });
            }),
      WRONG("cuMemCreate: device 99", kDevice,
            { return create(driver, [](auto& prop) { prop.location.id = 99; }); }),
      WRONG("cuMemCreate: handle types 0x1000", CUDA_SUCCESS,
            {
              return create(driver, [](auto& prop) {
                prop.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(0x1000);
              });
            }),
      WRONG("cuMemCreate: a handle of Windows", kValue,
            {
              return create(
                  driver, [](auto& prop) { prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32; });
            }),
      WRONG("cuMemImportFromShareableHandle: standard input", kValue,
            {
              CUmemGenericAllocationHandle handle = 0;
              return DRIVER(cuMemImportFromShareableHandle)(&handle, nullptr, kFile);
            }),
      WRONG("cuMemRelease: no handle", kValue, { return DRIVER(cuMemRelease)(0); }),
      MAPPED("cuMemRelease: twice", kValue,
             {
               DRIVER(cuMemRelease)(m.handle);
               return DRIVER(cuMemRelease)(m.handle);
             }),
      WRONG("cuMemGetAllocationGranularity: option 2", kValue,
            {
              std::size_t unit = 0;
              const CUmemAllocationProp prop = properties();
              return DRIVER(cuMemGetAllocationGranularity)(
                  &unit, &prop, static_cast<CUmemAllocationGranularity_flags>(2));
            }),
      WRONG("cuMemGetAllocationGranularity: null", kValue,
            {
              const CUmemAllocationProp prop = properties();
              return DRIVER(cuMemGetAllocationGranularity)(nullptr, &prop,
                                                           CU_MEM_ALLOC_GRANULARITY_MINIMUM);
            }),
      WRONG("cuMemGetAllocationPropertiesFromHandle: no handle", kValue,
            {
              CUmemAllocationProp prop{};
              return DRIVER(cuMemGetAllocationPropertiesFromHandle)(&prop, 0);
            }),
      MAPPED("cuMemGetAllocationPropertiesFromHandle: null", kValue,
             { return DRIVER(cuMemGetAllocationPropertiesFromHandle)(nullptr, m.handle); }),
      MAPPED("cuMemExportToShareableHandle: made without a type", kValue,
             {
               int file = -1;
               return DRIVER(cuMemExportToShareableHandle)(&file, m.handle, kFile, 0);
             }),
      WRONG("cuMemImportFromShareableHandle: no file", CUDA_ERROR_UNKNOWN,
            {
              CUmemGenericAllocationHandle handle = 0;
              return DRIVER(cuMemImportFromShareableHandle)(&handle, reinterpret_cast<void*>(9999),
                                                            kFile);
            }),
      MAPPED("cuMemRetainAllocationHandle: of no mapping", kValue,
             {
               CUmemGenericAllocationHandle handle = 0;
               return DRIVER(cuMemRetainAllocationHandle)(&handle, reinterpret_cast<void*>(m.at));
             }),
      WRONG("cuMemRetainAllocationHandle: of cuMemAlloc", kValue,
            {
              CUmemGenericAllocationHandle handle = 0;
              return DRIVER(cuMemRetainAllocationHandle)(&handle,
                                                         reinterpret_cast<void*>(s.buffer));
            }),
  };
}

std::vector<WrongCall> of_mappings() {
  return {
      MAPPED("cuMemMap: where something is mapped", kValue,
             { return DRIVER(cuMemMap)(m.at + kUnit, kUnit, 0, m.handle, 0); }),
      MAPPED("cuMemMap: more than the handle has", CUDA_ERROR_NOT_SUPPORTED,
             { return DRIVER(cuMemMap)(m.at, 2 * kUnit, 0, m.handle, 0); }),
      MAPPED("cuMemMap: half a granule", CUDA_ERROR_NOT_SUPPORTED,
             { return DRIVER(cuMemMap)(m.at, kUnit / 2, 0, m.handle, 0); }),
      MAPPED("cuMemMap: a part of the handle", CUDA_ERROR_NOT_SUPPORTED,
             { return map_half(driver, m.at); }),
      MAPPED("cuMemMap: not aligned", kValue,
             { return DRIVER(cuMemMap)(m.at + 4096, kUnit, 0, m.handle, 0); }),
      MAPPED("cuMemMap: an offset", CUDA_ERROR_NOT_SUPPORTED,
             { return DRIVER(cuMemMap)(m.at, kUnit, kUnit, m.handle, 0); }),
      MAPPED("cuMemMap: flags 1", kValue,
             { return DRIVER(cuMemMap)(m.at, kUnit, 0, m.handle, 1); }),
      MAPPED("cuMemMap: no handle", kValue, { return DRIVER(cuMemMap)(m.at, kUnit, 0, 0, 0); }),
      MAPPED("cuMemMap: not reserved", kValue,
             { return DRIVER(cuMemMap)(m.at + 4 * kUnit, kUnit, 0, m.handle, 0); }),
      MAPPED("cuMemUnmap: nothing is mapped", CUDA_SUCCESS,
             { return DRIVER(cuMemUnmap)(m.at, kUnit); }),
      MAPPED("cuMemUnmap: more than is mapped", CUDA_SUCCESS,
             { return DRIVER(cuMemUnmap)(m.at, 4 * kUnit); }),
      MAPPED("cuMemUnmap: 0 bytes", kOpen, { return DRIVER(cuMemUnmap)(m.at, 0); }),
      MAPPED("cuMemUnmap: half a granule of nothing", kOpen,
             { return DRIVER(cuMemUnmap)(m.at, kUnit / 2); }),
      MAPPED("cuMemUnmap: beyond the addresses", CUDA_SUCCESS,
             { return DRIVER(cuMemUnmap)(m.at, 5 * kUnit); }),
      MAPPED("cuMemUnmap: not reserved", kOpen,
             { return DRIVER(cuMemUnmap)(m.at + 4 * kUnit, kUnit); }),
      WRONG("cuMemUnmap: of cuMemAlloc", kOpen, { return DRIVER(cuMemUnmap)(s.buffer, kUnit); }),
      MAPPED("cuMemUnmap: a part of a mapping", kValue,
             { return DRIVER(cuMemUnmap)(m.at + kUnit, kUnit / 2); }),
      MAPPED("cuMemUnmap: two mappings", CUDA_SUCCESS,
             { return DRIVER(cuMemUnmap)(m.at + kUnit, 2 * kUnit); }),
      MAPPED("cuMemSetAccess: nothing is mapped", kValue,
             { return set_access(driver, m.at, kUnit, 3); }),
      MAPPED("cuMemSetAccess: more than is mapped", kValue,
             { return set_access(driver, m.at + kUnit, 3 * kUnit, 3); }),
      MAPPED("cuMemSetAccess: flags 9", kValue,
             { return set_access(driver, m.at + kUnit, kUnit, 9); }),
      MAPPED("cuMemSetAccess: device 99", kValue,
             { return set_access(driver, m.at + kUnit, kUnit, 3, 99); }),
      MAPPED("cuMemSetAccess: null", kValue,
             { return DRIVER(cuMemSetAccess)(m.at + kUnit, kUnit, nullptr, 1); }),
      MAPPED("cuMemGetAccess: nothing is mapped", kValue, { return get_access(driver, m.at, 0); }),
      MAPPED("cuMemGetAccess: device 99", kDevice,
             { return get_access(driver, m.at + kUnit, 99); }),
      MAPPED("cuMemFree: of a mapping", kValue, { return DRIVER(cuMemFree)(m.at + kUnit); }),
      MAPPED("cuMemsetD8: beyond a mapping", kValue,
             { return DRIVER(cuMemsetD8)(m.at + 3 * kUnit - 1, 0, 2); }),
      MAPPED("cuMemsetD8: over the border of two", CUDA_SUCCESS,
             { return DRIVER(cuMemsetD8)(m.at + 2 * kUnit - 1, 0, 2); }),
  };
}

CUresult get_handle(const Driver& driver, CUdeviceptr address) {
  CUipcMemHandle handle{};
  return DRIVER(cuIpcGetMemHandle)(&handle, address);
}
CUresult open_handle(const Driver& driver, const CUipcMemHandle& handle, unsigned flags) {
  return made<CUdeviceptr>(
      [&](CUdeviceptr* p) { return DRIVER(cuIpcOpenMemHandle)(p, handle, flags); },
      [&](CUdeviceptr p) {
        DRIVER(cuIpcCloseMemHandle)
        (p);
      });
}

// Within one process; the test of two has others.
std::vector<WrongCall> of_processes() {
  return {
      WRONG("cuIpcGetMemHandle: no allocation", kValue, { return get_handle(driver, 16); }),
      WRONG("cuIpcGetMemHandle: inside an allocation", kOpen,
            { return get_handle(driver, s.buffer + 4); }),
      MAPPED("cuIpcGetMemHandle: of a mapping", kValue,
             { return get_handle(driver, m.at + kUnit); }),
      WRONG("cuIpcOpenMemHandle: of this process", kContext,
            {
              CUipcMemHandle handle{};
              const CUresult result = DRIVER(cuIpcGetMemHandle)(&handle, s.buffer);
              if (result != CUDA_SUCCESS) return result;
              return open_handle(driver, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
            }),
      WRONG("cuIpcOpenMemHandle: flags 0", kValue,
            {
              CUipcMemHandle handle{};
              const CUresult result = DRIVER(cuIpcGetMemHandle)(&handle, s.buffer);
              return result != CUDA_SUCCESS ? result : open_handle(driver, handle, 0);
            }),
      WRONG("cuIpcOpenMemHandle: zeros", kValue,
            { return open_handle(driver, {}, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS); }),
      WRONG("cuIpcCloseMemHandle: of cuMemAlloc", kOpen,
            { return DRIVER(cuIpcCloseMemHandle)(s.buffer); }),
      WRONG("cuIpcGetEventHandle: not for other processes", kOpen,
            {
              CUipcEventHandle handle{};
              return DRIVER(cuIpcGetEventHandle)(&handle, s.event);
            }),
      WRONG("cuIpcOpenEventHandle: zeros", CUDA_ERROR_MAP_FAILED,
            {
              return made<CUevent>(
                  [&](CUevent* e) { return DRIVER(cuIpcOpenEventHandle)(e, CUipcEventHandle{}); },
                  [&](CUevent e) {
                    DRIVER(cuEventDestroy)
                    (e);
                  });
            }),
      WRONG("cuEventCreate: for other processes, with times", kValue,
            { return make_event(driver, CU_EVENT_INTERPROCESS); }),
      WRONG("cuMemPoolExportPointer: of cuMemAlloc", kValue,
            {
              CUmemPoolPtrExportData data{};
              return DRIVER(cuMemPoolExportPointer)(&data, s.buffer);
            }),
      WRONG("cuMemPoolExportToShareableHandle: the default pool", kValue,
            {
              CUmemoryPool pool = nullptr;
              int file = -1;
              DRIVER(cuDeviceGetDefaultMemPool)(&pool, 0);
              return DRIVER(cuMemPoolExportToShareableHandle)(&file, pool, kFile, 0);
            }),
      WRONG("cuMemPoolImportFromShareableHandle: no file", CUDA_ERROR_UNKNOWN,
            {
              CUmemoryPool pool = nullptr;
              return DRIVER(cuMemPoolImportFromShareableHandle)(
                  &pool, reinterpret_cast<void*>(9999), kFile, 0);
            }),
  };
}

}  // namespace

std::vector<WrongCall> wrong::of_mapped() {
  std::vector<WrongCall> all = of_addresses();
  for (const auto& more : {of_memory_handles(), of_mappings(), of_processes()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace warpmark::test
