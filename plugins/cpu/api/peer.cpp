// Several devices: which may use whose memory, and copies between them.
#include "api/copy.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"
#include "api/work.hpp"

namespace warpmark::cpu {
namespace {

// An attribute of CUDA 13: CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED.
constexpr unsigned int kOnlyPartOfAtomics = 5;

CUresult copy_peer(const char* name, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                   CUcontext from_context, std::size_t bytes, CUstream stream, bool wait) {
  return with_owner_reports(
      name, wait ? Waits::yes : Waits::no, stream, [&](Context& context) -> CUresult {
        if (driver().find(to_context) == nullptr || driver().find(from_context) == nullptr)
          return CUDA_ERROR_INVALID_CONTEXT;
        if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
        return submit_checked(
            context, stream,
            linear_copy(to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes));
      });
}

CUresult copy_peer_3d(const char* name, const CUDA_MEMCPY3D_PEER* peer, CUstream stream,
                      bool wait) {
  return with_owner_reports(name, wait ? Waits::yes : Waits::no, stream,
                            [&](Context& context) -> CUresult {
                              if (peer == nullptr) return CUDA_ERROR_INVALID_VALUE;
                              if (!valid_stream(context, stream)) return CUDA_ERROR_INVALID_HANDLE;
                              // An array's context is that of its creation; the other kinds of
                              // memory name theirs.
                              if ((number_in(peer->dstMemoryType) != CU_MEMORYTYPE_ARRAY &&
                                   driver().find(peer->dstContext) == nullptr) ||
                                  (number_in(peer->srcMemoryType) != CU_MEMORYTYPE_ARRAY &&
                                   driver().find(peer->srcContext) == nullptr))
                                return CUDA_ERROR_INVALID_CONTEXT;
                              return submit_checked(context, stream, CopyWork{box_of(*peer)});
                            });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return initialised("cuDeviceCanAccessPeer", [&]() -> CUresult {
    if (!driver().is_device(device) || !driver().is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
    return give(can, device != peer ? 1 : 0);
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice source,
                                 CUdevice target) {
  return initialised("cuDeviceGetP2PAttribute", [&]() -> CUresult {
    if (!driver().is_device(source) || !driver().is_device(target) || source == target)
      return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (number_in(attribute)) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
      case kOnlyPartOfAtomics:
        return give(value, 0);
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        return give(value, 1);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return with_context("cuCtxEnablePeerAccess", Waits::no, [&](Context& context) -> CUresult {
    Context* found = driver().find(peer);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (found->device == context.device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (!context.peers.insert(found).second) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context.arena.connect(found->arena);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return with_context("cuCtxDisablePeerAccess", Waits::no, [&](Context& context) -> CUresult {
    Context* found = driver().find(peer);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (context.peers.erase(found) == 0) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    context.arena.disconnect(found->arena);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  return copy_peer("cuMemcpyPeer", to, to_context, from, from_context, bytes, nullptr, true);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  return copy_peer("cuMemcpyPeerAsync", to, to_context, from, from_context, bytes, stream, false);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) {
  return copy_peer_3d("cuMemcpy3DPeer", copy, nullptr, true);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return copy_peer_3d("cuMemcpy3DPeerAsync", copy, stream, false);
}

}  // extern "C"
