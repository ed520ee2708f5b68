// Launches: checks of the configuration, parameters in both forms, what becomes of a failure.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

struct Request {
  std::array<unsigned int, 3> grid, block;
  unsigned int shared;
  CUstream stream;
  void** parameters;
  void** extra;
};

std::string dimensions(const std::array<unsigned int, 3>& size) {
  return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
         std::to_string(size[2]) + ")";
}

// The limits that a driver checks; everything is CUDA_ERROR_INVALID_VALUE there, too.
CUresult check_shape(const Kernel& kernel, const Request& request) {
  const auto& [grid, block, shared, stream, parameters, extra] = request;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > 0x7fffffff || grid[1] > 65535 ||
      grid[2] > 65535) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "grid " + dimensions(grid) + " is not within 1 and (2147483647, 65535, 65535)");
  }
  if (block[0] == 0 || block[1] == 0 || block[2] == 0 || block[0] > 1024 || block[1] > 1024 ||
      block[2] > 64) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "block " + dimensions(block) + " is not within 1 and (1024, 1024, 64)");
  }
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (threads > DeviceProperties::max_threads) {
    return fail(CUDA_ERROR_INVALID_VALUE, "block " + dimensions(block) + " has " +
                                              std::to_string(threads) + " threads, more than 1024");
  }
  if (kernel.function->max_threads != 0 && threads > kernel.function->max_threads) {
    return fail(CUDA_ERROR_INVALID_VALUE, "a block of " + std::to_string(threads) +
                                              " threads; the kernel was compiled for at most " +
                                              std::to_string(kernel.function->max_threads));
  }
  if (shared > kernel.max_dynamic_shared ||
      std::uint64_t{shared} + kernel.checked.shared_bytes >
          DeviceProperties::shared_per_block_optin ||
      (kernel.max_dynamic_shared == DeviceProperties::shared_per_block &&
       std::uint64_t{shared} + kernel.checked.shared_bytes > DeviceProperties::shared_per_block &&
       shared != 0)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                std::to_string(shared) + " bytes of dynamic and " +
                    std::to_string(kernel.checked.shared_bytes) +
                    " of static shared memory are more than the kernel may use");
  }
  return CUDA_SUCCESS;
}

CUresult pack_parameters(const Function& function, const Request& request,
                         std::vector<std::byte>& buffer) {
  buffer.assign(function.parameter_bytes, std::byte{0});
  if (request.parameters != nullptr && request.extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (request.extra != nullptr) {
    const void* data = nullptr;
    std::size_t bytes = 0;
    bool have_bytes = false;
    for (std::size_t i = 0; request.extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
      if (i > 8) return CUDA_ERROR_INVALID_VALUE;
      if (request.extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
        data = request.extra[i + 1];
      } else if (request.extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
        if (request.extra[i + 1] == nullptr) return CUDA_ERROR_INVALID_VALUE;
        std::memcpy(&bytes, request.extra[i + 1], sizeof bytes);
        have_bytes = true;
      } else {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    if (!have_bytes || (data == nullptr && function.parameter_bytes != 0))
      return CUDA_ERROR_INVALID_VALUE;
    if (bytes < function.parameter_bytes) {
      return fail(CUDA_ERROR_INVALID_VALUE, "the parameter buffer has " + std::to_string(bytes) +
                                                " bytes, the kernel's parameters take " +
                                                std::to_string(function.parameter_bytes));
    }
    if (data != nullptr) std::memcpy(buffer.data(), data, buffer.size());
    return CUDA_SUCCESS;
  }
  if (function.parameters.empty()) return CUDA_SUCCESS;
  if (request.parameters == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "the kernel has " +
                                              std::to_string(function.parameters.size()) +
                                              " parameters, none were given");
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (request.parameters[i] == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "parameter " + std::to_string(i) + " is null");
    std::memcpy(buffer.data() + function.parameters[i].offset, request.parameters[i],
                function.parameters[i].bytes);
  }
  return CUDA_SUCCESS;
}

CUresult error_of(LaunchEnd end) {
  switch (end) {
    case LaunchEnd::good:
      return CUDA_SUCCESS;
    case LaunchEnd::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case LaunchEnd::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case LaunchEnd::timeout:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case LaunchEnd::failed:
      return CUDA_ERROR_LAUNCH_FAILED;
    case LaunchEnd::stack:
      return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case LaunchEnd::invalid_pc:
      return CUDA_ERROR_INVALID_PC;
    case LaunchEnd::assertion:
      return CUDA_ERROR_ASSERT;
  }
  return CUDA_ERROR_UNKNOWN;
}

// The newest lines are dropped when nobody drains them: what failed first matters most.
constexpr std::size_t kMostLines = 1 << 16;
template <typename Line>
void keep(std::deque<Line>& lines, Line line) {
  if (lines.size() < kMostLines) lines.push_back(std::move(line));
}

CUresult launch(const char* name, CUfunction function, const Request& request) {
  return with_context(name, Waits::no, [&](Context& context) -> CUresult {
    const auto found = context.kernels.find(function);
    if (found == context.kernels.end()) return CUDA_ERROR_INVALID_HANDLE;
    const Kernel& kernel = *found->second;
    if (!valid_stream(context, request.stream)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = check_shape(kernel, request);
    if (result != CUDA_SUCCESS) return result;
    LaunchShape shape;
    shape.grid = request.grid;
    shape.block = request.block;
    shape.dynamic_shared = request.shared;
    shape.instruction_budget = context.launch_limits.instruction_budget;
    shape.wall_limit_ms = context.launch_limits.wall_limit_ms;
    shape.workers = context.launch_limits.workers;
    shape.images = &context.images.table;
    shape.exact_bounds = context.launch_limits.exact_bounds;
    result = pack_parameters(*kernel.function, request, shape.parameters);
    if (result != CUDA_SUCCESS) return result;
    const std::uint64_t number = ++context.launches;
    if (context.pending != CUDA_SUCCESS) return CUDA_SUCCESS;  // queued behind a launch that failed
    const Program& program = shape.exact_bounds ? kernel.checked : kernel.contained;
    provide_runtime(context, program, shape);
    LaunchResult outcome = run_grid(program, shape, context.arena);
    context.pending = error_of(outcome.end);
    context.printed.add(std::move(outcome.printed));
    context.asserted.add(std::move(outcome.asserted));
    for (const Fault& fault : outcome.faults)
      keep(context.reports, render_fault(fault, program, number));
    keep(context.counters, {number, program.name, outcome.thread_instructions,
                            outcome.warp_instructions, outcome.counters});
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace warpmark::cpu

using namespace warpmark::cpu;

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream,
                        void** parameters, void** extra) {
  return launch(
      "cuLaunchKernel", function,
      {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, parameters, extra});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < config->numAttrs; ++i) {
    if (config->attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_IGNORE) continue;
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "launch attribute " + std::to_string(config->attrs[i].id) + " is not supported");
  }
  return launch("cuLaunchKernelEx", function,
                {{config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 config->sharedMemBytes,
                 config->hStream,
                 parameters,
                 extra});
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t dynamic_shared) {
  return with_context(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor", Waits::no, [&](Context& context) -> CUresult {
        const auto found = context.kernels.find(function);
        if (found == context.kernels.end()) return CUDA_ERROR_INVALID_HANDLE;
        if (blocks == nullptr || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
        // Threads, blocks and shared memory of a multiprocessor; registers have no cost on this
        // device.
        const std::uint64_t rounded = (static_cast<std::uint64_t>(threads) + 31) / 32 * 32;
        const std::uint64_t shared = dynamic_shared + found->second->checked.shared_bytes + 1024;
        std::uint64_t most = std::min<std::uint64_t>(32, 2048 / rounded);
        most = std::min<std::uint64_t>(most, (std::uint64_t{228} << 10) / shared);
        if (threads > 1024 || shared - 1024 > DeviceProperties::shared_per_block_optin) most = 0;
        *blocks = static_cast<int>(most);
        return CUDA_SUCCESS;
      });
}

}  // extern "C"
