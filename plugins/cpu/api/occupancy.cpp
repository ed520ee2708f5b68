// Occupancy: how many blocks a multiprocessor would take. Registers count where configure told them.
#include <algorithm>

#include "api/number.hpp"
#include "api/owner.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

template <typename Body>
CUresult with_kernel(const char* name, CUfunction function, Body body) {
  return with_context_and_owner(name, Waits::no, function, [&](Context& context) -> CUresult {
    const Kernel* kernel = find_kernel(context, function);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*kernel);
  });
}

CUresult most_blocks(int* blocks, CUfunction function, int threads, std::size_t dynamic,
                     unsigned int flags) {
  return with_kernel("cuOccupancyMaxActiveBlocksPerMultiprocessor", function,
                     [&](const Kernel& kernel) -> CUresult {
                       if (blocks == nullptr || threads <= 0 || flags > 1)
                         return CUDA_ERROR_INVALID_VALUE;
                       *blocks = static_cast<int>(
                           active_blocks(kernel, static_cast<std::uint64_t>(threads), dynamic));
                       return CUDA_SUCCESS;
                     });
}

// The block size with the most threads on a multiprocessor, the largest of equals, as the
// toolkit's own search in steps of a warp.
CUresult best_size(int* grid, int* block, CUfunction function, CUoccupancyB2DSize dynamic_of,
                   std::size_t dynamic, int limit, unsigned int flags) {
  return with_kernel(
      "cuOccupancyMaxPotentialBlockSize", function, [&](const Kernel& kernel) -> CUresult {
        if (grid == nullptr || block == nullptr || limit < 0 || flags > 1)
          return CUDA_ERROR_INVALID_VALUE;
        int most = static_cast<int>(most_threads(kernel));
        if (limit > 0) most = std::min(most, limit);
        std::uint64_t best = 0;
        *grid = *block = 0;
        for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
          const int threads = std::min(size, most);
          const std::size_t bytes = dynamic_of != nullptr ? dynamic_of(threads) : dynamic;
          const std::uint64_t blocks =
              active_blocks(kernel, static_cast<std::uint64_t>(threads), bytes);
          if (blocks * static_cast<std::uint64_t>(threads) <= best) continue;
          best = blocks * static_cast<std::uint64_t>(threads);
          *block = threads;
          *grid = static_cast<int>(blocks * DeviceProperties::multiprocessors);
        }
        return CUDA_SUCCESS;
      });
}

// How many blocks of a launch a multiprocessor takes, and the blocks of the clusters that it asks for.
struct Clusters {
  std::uint64_t blocks = 0;
  std::array<unsigned int, 3> asked{};
};
CUresult clusters_of(const Kernel& kernel, const CUlaunchConfig* config, Clusters& result) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (number_in(attribute.id) != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& cluster = attribute.value.clusterDim;
    result.asked = {cluster.x, cluster.y, cluster.z};
    if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  const std::uint64_t threads =
      std::uint64_t{config->blockDimX} * config->blockDimY * config->blockDimZ;
  if (threads == 0) return CUDA_ERROR_INVALID_VALUE;
  result.blocks = active_blocks(kernel, threads, config->sharedMemBytes);
  return CUDA_SUCCESS;
}

template <typename Body>
CUresult with_clusters(const char* name, const int* result, CUfunction function,
                       const CUlaunchConfig* config, Body body) {
  return with_kernel(name, function, [&](const Kernel& kernel) -> CUresult {
    Clusters clusters;
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult outcome = clusters_of(kernel, config, clusters);
    return outcome == CUDA_SUCCESS ? body(kernel, clusters) : outcome;
  });
}

}  // namespace

// Each of a multiprocessor's four parts has a quarter of its registers, which warps get by 256.
std::uint64_t warps_with_registers(const Kernel& kernel) {
  constexpr std::uint64_t kUnit = 8, kParts = 4, kOfPart = 65536 / kParts, kMostWarps = 64;
  if (kernel.registers == 0) return kMostWarps;
  const std::uint64_t of_warp = (kernel.registers + kUnit - 1) / kUnit * kUnit * 32;
  return std::min(kOfPart / of_warp * kParts, kMostWarps);
}

std::uint32_t most_threads(const Kernel& kernel) {
  const auto most = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(DeviceProperties::max_threads, 32 * warps_with_registers(kernel)));
  return kernel.function->max_threads == 0 ? most : std::min(most, kernel.function->max_threads);
}

// Threads, blocks, registers and shared memory of a multiprocessor of compute capability 9.0; 1 KiB
// of shared memory is reserved for each block.
std::uint64_t active_blocks(const Kernel& kernel, std::uint64_t threads, std::uint64_t dynamic) {
  const std::uint64_t shared = dynamic + kernel.code->checked.shared_bytes;
  if (threads == 0 || threads > DeviceProperties::max_threads ||
      dynamic > DeviceProperties::shared_per_block_optin ||
      shared > DeviceProperties::shared_per_block_optin)
    return 0;
  const std::uint64_t rounded = (threads + 31) / 32 * 32;
  const std::uint64_t by_warps =
      std::min<std::uint64_t>(32, warps_with_registers(kernel) / (rounded / 32));
  return std::min<std::uint64_t>(by_warps, (std::uint64_t{228} << 10) / (shared + 1024));
}

}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t dynamic) {
  return most_blocks(blocks, function, threads, dynamic, 0);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t dynamic,
                                                              unsigned int flags) {
  return most_blocks(blocks, function, threads, dynamic, flags);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize dynamic_of, size_t dynamic,
                                          int limit) {
  return best_size(grid, block, function, dynamic_of, dynamic, limit, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize dynamic_of, size_t dynamic,
                                                   int limit, unsigned int flags) {
  return best_size(grid, block, function, dynamic_of, dynamic, limit, flags);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic, CUfunction function, int blocks,
                                                 int threads) {
  return with_kernel(
      "cuOccupancyAvailableDynamicSMemPerBlock", function, [&](const Kernel& kernel) -> CUresult {
        if (dynamic == nullptr || blocks <= 0 || threads <= 0 ||
            active_blocks(kernel, static_cast<std::uint64_t>(threads), 0) <
                static_cast<std::uint64_t>(blocks))
          return CUDA_ERROR_INVALID_VALUE;
        const std::uint64_t each =
            (std::uint64_t{228} << 10) / static_cast<std::uint64_t>(blocks) - 1024;
        *dynamic = std::min<std::uint64_t>(each, DeviceProperties::shared_per_block_optin) -
                   kernel.code->checked.shared_bytes;
        return CUDA_SUCCESS;
      });
}

// As if multiprocessors were not grouped: on a GPU a cluster stays within one such group.
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  return with_clusters("cuOccupancyMaxActiveClusters", clusters, function, config,
                       [&](const Kernel& kernel, const Clusters& of) -> CUresult {
                         std::array<unsigned int, 3> size{};
                         const CUresult result = choose_cluster(kernel, of.asked, size);
                         if (result != CUDA_SUCCESS) return result;
                         const std::uint64_t blocks = of.blocks * DeviceProperties::multiprocessors;
                         const std::uint64_t each = std::uint64_t{size[0]} * size[1] * size[2];
                         *clusters = each == 0 ? 0 : static_cast<int>(blocks / each);
                         return CUDA_SUCCESS;
                       });
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function,
                                            const CUlaunchConfig* config) {
  return with_clusters("cuOccupancyMaxPotentialClusterSize", size, function, config,
                       [&](const Kernel& kernel, const Clusters& of) -> CUresult {
                         *size =
                             of.blocks == 0 ? 0 : static_cast<int>(kernel.most_cluster_blocks());
                         return CUDA_SUCCESS;
                       });
}

}  // extern "C"
