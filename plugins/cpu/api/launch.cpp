// Launches: checks of the configuration, parameters in both forms, what becomes of a failure.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

#include "api/debug.hpp"
#include "api/report.hpp"
#include "api/state.hpp"
#include "api/work.hpp"
#include "machine/handlers.hpp"
#include "machine/schedule.hpp"

namespace warpmark::cpu {
namespace {

std::string dimensions(const std::array<unsigned int, 3>& size) {
  return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
         std::to_string(size[2]) + ")";
}

// The limits that a driver checks; everything is CUDA_ERROR_INVALID_VALUE there, too.
CUresult check_shape(const Kernel& kernel, const KernelWork& work) {
  const auto& grid = work.grid;
  const auto& block = work.block;
  const unsigned int shared = work.shared;
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
  if (threads > most_threads(kernel)) {
    return fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                "a block of " + std::to_string(threads) + " threads; with " +
                    std::to_string(kernel.registers) + " registers for each it can have " +
                    std::to_string(most_threads(kernel)));
  }
  if (kernel.function->threads[0] != 0 && block != kernel.function->threads) {
    return fail(CUDA_ERROR_INVALID_VALUE, "block " + dimensions(block) +
                                              ", the kernel was compiled for " +
                                              dimensions(kernel.function->threads));
  }
  if (shared > kernel.max_dynamic_shared ||
      std::uint64_t{shared} + kernel.code->checked.shared_bytes >
          DeviceProperties::shared_per_block_optin ||
      (kernel.max_dynamic_shared == DeviceProperties::shared_per_block &&
       std::uint64_t{shared} + kernel.code->checked.shared_bytes >
           DeviceProperties::shared_per_block &&
       shared != 0)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                std::to_string(shared) + " bytes of dynamic and " +
                    std::to_string(kernel.code->checked.shared_bytes) +
                    " of static shared memory are more than the kernel may use");
  }
  return CUDA_SUCCESS;
}

// The form of cuLaunchKernel's `extra`: one buffer with the layout that C gives a struct. As with
// driver 580 a shorter one is taken (what it lacks is zero here), and a longer one is not.
CUresult unpack_buffer(void** extra, std::vector<std::byte>& buffer) {
  const void* data = nullptr;
  std::size_t bytes = 0;
  bool have_bytes = false;
  for (std::size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (i > 8) return CUDA_ERROR_INVALID_VALUE;
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      data = extra[i + 1];
    } else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      if (extra[i + 1] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(&bytes, extra[i + 1], sizeof bytes);
      have_bytes = true;
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  if (!have_bytes || (data == nullptr && !buffer.empty())) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > buffer.size()) {
    return fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                "the parameter buffer has " + std::to_string(bytes) +
                    " bytes, the kernel's parameters take " + std::to_string(buffer.size()));
  }
  if (bytes > 0) std::memcpy(buffer.data(), data, bytes);
  return CUDA_SUCCESS;
}

CUresult pack_parameters(const Function& function, void** parameters, void** extra,
                         std::vector<std::byte>& buffer) {
  buffer.assign(function.parameter_bytes, std::byte{0});
  if (parameters != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (extra != nullptr) return unpack_buffer(extra, buffer);
  if (function.parameters.empty()) return CUDA_SUCCESS;
  if (parameters == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "the kernel has " +
                                              std::to_string(function.parameters.size()) +
                                              " parameters, none were given");
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (parameters[i] == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "parameter " + std::to_string(i) + " is null");
    std::memcpy(buffer.data() + function.parameters[i].offset, parameters[i],
                function.parameters[i].bytes);
  }
  return CUDA_SUCCESS;
}

// All blocks of a cooperative launch must be there at once.
CUresult check_cooperative(const Kernel& kernel, const KernelWork& work) {
  const auto& [x, y, z] = work.grid;
  const std::uint64_t most =
      DeviceProperties::multiprocessors *
      active_blocks(kernel, std::uint64_t{work.block[0]} * work.block[1] * work.block[2],
                    work.shared);
  if (std::uint64_t{x} * y * z <= most) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
              "a cooperative launch may have " + std::to_string(most) +
                  " blocks of this size and kernel, not " + dimensions(work.grid));
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
    case LaunchEnd::illegal_instruction:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  }
  return CUDA_ERROR_UNKNOWN;
}

std::string limit_text(std::uint32_t most) {
  if (most == DeviceProperties::max_cluster_blocks)
    return "; at most " + std::to_string(most) + " fit";
  return "; more than " + std::to_string(most) +
         " need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED";
}

// choose_cluster() for a launch, whose grid has to be a multiple.
CUresult check_cluster(const Kernel& kernel, const KernelWork& work,
                       std::array<unsigned int, 3>& cluster) {
  const CUresult result = choose_cluster(kernel, work.cluster, cluster);
  if (result != CUDA_SUCCESS || cluster[0] == 0) return result;
  for (std::size_t i = 0; i < 3; ++i) {
    if (work.grid[i] % cluster[i] == 0) continue;
    return fail(CUDA_ERROR_INVALID_CLUSTER_SIZE, "grid " + dimensions(work.grid) +
                                                     " is not a multiple of the cluster " +
                                                     dimensions(cluster));
  }
  return CUDA_SUCCESS;
}

// Checks the requirements of clusters and cooperative grids; the rest of `shape` is set.
CUresult check_together(const Kernel& kernel, const KernelWork& work, LaunchShape& shape) {
  std::array<unsigned int, 3> cluster{};
  const CUresult result = check_cluster(kernel, work, cluster);
  if (result != CUDA_SUCCESS) return result;
  if (cluster[0] != 0) {
    shape.cluster = cluster;
    shape.explicit_cluster = true;
  }
  shape.cooperative = work.cooperative;
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  if (!shape.cooperative || blocks <= resident_blocks(kernel.code->checked, shape))
    return CUDA_SUCCESS;
  return fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
              std::to_string(blocks) + " blocks of a cooperative grid; at most " +
                  std::to_string(resident_blocks(kernel.code->checked, shape)) +
                  " can run at the same time");
}

// The newest lines are dropped when nobody drains them: what failed first matters most.
template <typename Line>
void keep(std::deque<Line>& lines, Line line) {
  if (lines.size() < Context::kMostReports) lines.push_back(std::move(line));
}

}  // namespace

CUresult choose_cluster(const Kernel& kernel, const std::array<unsigned int, 3>& asked,
                        std::array<unsigned int, 3>& cluster) {
  constexpr std::array<unsigned int, 3> none{};
  const std::array<unsigned int, 3>& own = kernel.required_cluster();
  cluster = own != none ? own : asked;
  if (cluster == none) return CUDA_SUCCESS;
  const std::uint64_t blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  const bool differs = own != none && asked != none && own != asked;
  const std::uint32_t most = kernel.most_cluster_blocks();
  if (cluster[0] == 0 || cluster[1] == 0 || cluster[2] == 0 || cluster[0] > most ||
      cluster[1] > most || cluster[2] > most || blocks > most || differs) {
    return fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
                "a cluster of " + dimensions(cluster) + " blocks" +
                    (differs ? ", the kernel requires another" : limit_text(most)));
  }
  return CUDA_SUCCESS;
}

CUresult prepare_kernel(Context& context, KernelWork& work, void** parameters, void** extra) {
  const Kernel* kernel = find_kernel(context, work.function);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = check_shape(*kernel, work);
  if (result != CUDA_SUCCESS) return result;
  if (work.cooperative) result = check_cooperative(*kernel, work);
  if (result != CUDA_SUCCESS) return result;
  LaunchShape shape;
  shape.grid = work.grid;
  shape.block = work.block;
  shape.dynamic_shared = work.shared;
  result = check_together(*kernel, work, shape);
  if (result != CUDA_SUCCESS) return result;
  return pack_parameters(*kernel->function, parameters, extra, work.parameters);
}

// The kernel's program for what a launch looks at.
const Program& program_for(Kernel& kernel, const LaunchShape& shape) {
  if (shape.exact_bounds && !shape.checks.any()) return kernel.code->checked;
  std::unique_ptr<Program>& program =
      shape.exact_bounds ? kernel.code->inspected : kernel.code->contained;
  if (!program) {
    program = std::make_unique<Program>(kernel.code->checked);
    bind(*program, handlers(shape.exact_bounds ? Watch::everything : Watch::nothing));
    if (shape.exact_bounds) find_unwritten(*program);
  }
  return *program;
}

// Finds the registers that a launch's blocks renew, where copying all of them for each block would
// take longer.
void limit_renewal(Kernel& kernel, LaunchShape& shape) {
  constexpr std::uint64_t kBytesWorthIt = std::uint64_t{32} << 20;
  const std::uint64_t warps =
      (std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2] + 31) / 32;
  if (!kernel.code->renewed &&
      blocks_of(shape) * warps * kernel.code->checked.register_bytes >= kBytesWorthIt)
    kernel.code->renewed = std::make_unique<RegisterRuns>(find_renewed(kernel.code->checked));
  shape.renewed = kernel.code->renewed.get();
}

// Prepares the context's memory for the checks of a launch. A debugger sees each access by itself.
void prepare_checks(Context& context, LaunchShape& shape, bool closely) {
  shape.checks = context.launch_limits.checks;
  if (!shape.exact_bounds) shape.checks = {};
  shape.checks.closely = shape.checks.closely || closely;
  shape.checks.strict_proxies = context.launch_limits.strict_proxies;
  if (shape.checks.any()) {
    if (!context.inspection) context.inspection = std::make_unique<InspectionMemory>(context.arena);
    shape.inspection = context.inspection.get();
  }
  if (shape.checks.init) return;
  context.arena.assume_values();
  if (driver().virtual_memory != nullptr) driver().virtual_memory->assume_values();
}

namespace {

// Reduces the limits of a launch that a kernel asked for to the rest that the outer launch has
// left.
void limit_nested(const Nesting& nesting, LaunchShape& shape) {
  shape.depth = nesting.depth;
  if (nesting.depth == 0) return;
  const auto left = [](std::uint64_t limit, std::uint64_t used) {
    return limit == 0 ? 0 : limit > used ? limit - used : 1;
  };
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - nesting.begun);
  shape.instruction_budget = left(shape.instruction_budget, nesting.executed);
  shape.wall_limit_ms = left(shape.wall_limit_ms, static_cast<std::uint64_t>(passed.count()));
}

// The coverage of the kernel's text since it was drained.
ModuleCoverage& coverage_of(Context& context, const Kernel& kernel) {
  const std::shared_ptr<LoadedText>& text = kernel.module->text;
  const auto found = std::ranges::find_if(
      context.coverage, [&](const ModuleCoverage& one) { return one.text() == text.get(); });
  return found != context.coverage.end() ? *found : context.coverage.emplace_back(text);
}

// Runs a grid under a debugger, again as often as that wants. Nothing if the launch was left.
std::optional<LaunchResult> run_debugged(warpmark_debugger& debugger, Context& context,
                                         const LoadedModule& module, const Program& program,
                                         LaunchShape shape) {
  shape.wall_limit_ms = 0;
  shape.workers = 1;
  shape.speculates = false;
  DebuggedLaunch launch(debugger, context, module, program, shape);
  shape.stepper = &launch;
  std::optional<LaunchResult> outcome;
  do {
    if (!launch.begin()) continue;
    outcome.emplace(run_grid(program, shape, context.arena));
    if (!launch.ended && !launch.end(outcome->faults)) {
      outcome->printed.clear();
      outcome->asserted.clear();
    }
  } while (launch.repeats());
  if (launch.ended) return std::nullopt;
  return outcome;
}

}  // namespace

CUresult perform_kernel(Context& context, const KernelWork& work) {
  Nesting nesting;
  return run_kernel(context, work, nesting);
}

CUresult run_kernel(Context& context, const KernelWork& work, Nesting& nesting) {
  Kernel* found = find_kernel(context, work.function);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Kernel& kernel = *found;
  CUresult result = check_shape(kernel, work);
  if (result != CUDA_SUCCESS) return result;
  LaunchShape shape;
  shape.grid = work.grid;
  shape.block = work.block;
  shape.dynamic_shared = work.shared;
  shape.instruction_budget = context.launch_limits.instruction_budget;
  shape.wall_limit_ms = context.launch_limits.wall_limit_ms;
  shape.schedule_seed = context.launch_limits.schedule_seed;
  shape.workers = context.launch_limits.workers;
  shape.images = &context.images.table;
  shape.multicasts = &driver().multicasts;
  shape.device = context.device;
  warpmark_debugger* const debugger = cpu::debugger();
  shape.exact_bounds =
      context.launch_limits.exact_bounds || context.arena.reaches_further() || debugger != nullptr;
  shape.parameters = work.parameters;
  shape.module = &kernel.module->ptx();
  limit_nested(nesting, shape);
  prepare_checks(context, shape, debugger != nullptr);
  result = check_together(kernel, work, shape);
  if (result != CUDA_SUCCESS) return result;
  const std::uint64_t number = ++context.launches;
  const Program& program = program_for(kernel, shape);
  if (context.launch_limits.traffic) {
    if (!kernel.code->traffic)
      kernel.code->traffic = std::make_unique<TrafficMap>(kernel.code->checked);
    shape.traffic = kernel.code->traffic.get();
    shape.samples = context.launch_limits.samples;
  }
  if (context.launch_limits.coverage) {
    if (!kernel.code->coverage)
      kernel.code->coverage = std::make_unique<CoverageMap>(kernel.code->checked);
    shape.coverage = kernel.code->coverage.get();
  }
  limit_renewal(kernel, shape);
  provide_runtime(context, program, shape);
  shape.speculates = !kernel.code->serialized;
  std::optional<LaunchResult> ran;
  if (debugger == nullptr)
    ran.emplace(run_grid(program, shape, context.arena));
  else
    ran = run_debugged(*debugger, context, *kernel.module, program, shape);
  if (!ran) return CUDA_SUCCESS;
  LaunchResult& outcome = *ran;
  kernel.code->serialized = kernel.code->serialized || outcome.serialized;
  context.pending = error_of(outcome.end);
  context.printed.add(std::move(outcome.printed));
  context.asserted.add(std::move(outcome.asserted));
  for (const Fault& fault : outcome.faults) {
    std::string line = render_fault(fault, program, number);
    if (reports_are_printed())
      print_report(line, sanitizer_text(fault, program),
                   {!fault.warning, fault.kind == FaultKind::race, 0});
    keep(context.reports, std::move(line));
  }
  if (shape.coverage != nullptr)
    coverage_of(context, kernel).add(kernel.code->checked, *shape.coverage, outcome.profile);
  std::string more;
  if (shape.traffic != nullptr)
    more = render_profile(kernel, shape, outcome, context.launch_limits.lines);
  if (shape.samples) more += render_samples(kernel, shape, outcome.profile, context.arena);
  constexpr std::array<std::uint32_t, 3> kOne{1, 1, 1};
  const bool alone = shape.grid == kOne && shape.block == kOne;
  if (!alone && (!program.contended.empty() || program.uses_heap))
    more += ",\"schedules\":" + std::to_string(SeededSchedule::ways(program));
  keep(context.counters, {number, program.name, outcome.thread_instructions,
                          outcome.warp_instructions, outcome.counters, std::move(more)});
  nesting.executed += outcome.thread_instructions;
  if (outcome.launches.empty() || context.pending != CUDA_SUCCESS) return CUDA_SUCCESS;
  return perform_device_launches(context, *kernel.module, outcome.launches, nesting);
}

}  // namespace warpmark::cpu
