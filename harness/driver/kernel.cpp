#include "driver/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/launch_limits.hpp"
#include "base/text.hpp"
#include "driver/jit_logs.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostParameters = 32764;

// Writes "names the numbers" once: an empty optional if `value` is at most `limit`.
std::optional<std::string> over(std::string_view what, uint64_t value, uint64_t limit,
                                std::string_view whose) {
  if (value <= limit) return std::nullopt;
  return fmt::format("{} is {}, but {} allows {}", what, value, whose, limit);
}

}  // namespace

std::string Module::State::identify() const {
  return fmt::format("module of {}, {}", name, handle.context()->identify());
}

std::string Module::identify() const {
  return state_->identify();
}

Module::Module(const std::shared_ptr<const Context>& context, std::string_view image,
               std::string name)
    : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  const ScopedContext current(*context);
  JitLogs logs;
  // PTX text must end with a zero byte, which a string_view does not promise.
  const std::string terminated(image);
  CUmodule module = nullptr;
  const auto& load = context->table().module_load_data_ex;
  const CUresult result =
      load.pointer(&module, terminated.c_str(), logs.count(), logs.options(), logs.values());
  if (result != CUDA_SUCCESS) {
    throw context->driver().failure(
        result, load.symbol, fmt::format("module of {}, {}", state_->name, context->identify()),
        std::string(trim(logs.errors())));
  }
  context->driver().expect(module, load, [&] {
    return fmt::format("module of {}, {}", state_->name, context->identify());
  });
  state_->handle = {context, module};
  state_->log = printable(trim(logs.info()));
}

Function Module::function(const std::string& entry) const {
  return {state_, entry};
}

std::optional<std::pair<CUdeviceptr, size_t>> Module::global(const std::string& variable) const {
  const Context& context = *state_->handle.context();
  const ScopedContext current(context);
  const auto& get = context.table().module_get_global;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (get && get.pointer(&address, &bytes, state_->handle.get(), variable.c_str()) ==
                 CUDA_ERROR_NOT_FOUND) {
    return std::nullopt;
  }
  context.driver().call(
      get, [&] { return fmt::format("`{}`, {}", variable, identify()); }, &address, &bytes,
      state_->handle.get(), variable.c_str());
  return std::pair(address, bytes);
}

Function::Function(std::shared_ptr<const Module::State> module, std::string name)
    : module_(std::move(module)), name_(std::move(name)) {
  const ScopedContext current(context());
  const DriverTable& table = context().table();
  const auto& get = table.module_get_function;
  const CUresult result = get.pointer(&handle_, module_->handle.get(), name_.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    throw verdict_error(fmt::format("no kernel `{}` in the {}", name_, module_->identify()));
  }
  const auto object = [this] { return identify(); };
  if (result != CUDA_SUCCESS) throw context().driver().failure(result, get.symbol, object());
  context().driver().expect(handle_, get, object);
  const auto read = [&](CUfunction_attribute attribute) {
    int value = 0;
    context().driver().call(table.func_get_attribute, object, &value, attribute, handle_);
    return value;
  };
  attributes_.max_threads_per_block = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  attributes_.static_shared_bytes = read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  attributes_.constant_bytes = read(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  attributes_.local_bytes = read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  attributes_.registers = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
}

std::optional<std::vector<ParameterLayout>> Function::parameters() const {
  const auto& get = context().table().func_get_param_info;
  if (!get) return std::nullopt;
  const ScopedContext current(context());
  std::vector<ParameterLayout> out;
  for (;;) {
    ParameterLayout layout;
    const CUresult result = get.pointer(handle_, out.size(), &layout.offset, &layout.bytes);
    if (result == CUDA_ERROR_INVALID_VALUE) return out;  // one past the last
    if (result == CUDA_ERROR_NOT_SUPPORTED) return std::nullopt;
    if (result != CUDA_SUCCESS) throw context().driver().failure(result, get.symbol, identify());
    // Parameters take 32,764 bytes at most (CUDA 12.1), so a driver that never ends is broken.
    if (out.size() >= kMostParameters) return std::nullopt;
    out.push_back(layout);
  }
}

std::optional<std::string> Function::misfit(const LaunchConfig& config) const {
  static constexpr std::array kBlock{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                     CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                     CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  static constexpr std::array kGrid{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  static constexpr std::array kAxes{'x', 'y', 'z'};
  const Device& device = context().device();
  const auto limit = [&](CUdevice_attribute attribute) {
    return static_cast<uint64_t>(std::max(device.attribute(attribute), 0));
  };
  const auto explained = [&](const std::string& reason) {
    return fmt::format("kernel `{}`: {} ({})", name_, reason, config.text());
  };
  for (size_t i = 0; i < 3; ++i) {
    const auto check = [&](std::string_view what, uint64_t value,
                           CUdevice_attribute attribute) -> std::optional<std::string> {
      const std::string side = fmt::format("{}.{}", what, kAxes[i]);
      if (value == 0) return side + " is 0, but must be at least 1";
      return over(side, value, limit(attribute), device.identify());
    };
    if (const auto text = check("block", config.block[i], kBlock[i])) return explained(*text);
    if (const auto text = check("grid", config.grid[i], kGrid[i])) return explained(*text);
  }
  const uint64_t threads = volume(config.block);
  if (const auto text = over("the block's number of threads", threads,
                             limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), device.identify())) {
    return explained(*text);
  }
  const auto most = static_cast<uint64_t>(attributes_.max_threads_per_block);
  const std::string whose = fmt::format("the kernel with its {} registers", attributes_.registers);
  if (const auto text = over("the block's number of threads", threads, most, whose)) {
    return explained(*text);
  }
  // Devices without the opt-in say 0 for it.
  const uint64_t shared = std::max(limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                                   limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  const auto fixed = static_cast<uint64_t>(attributes_.static_shared_bytes);
  if (config.shared > shared || config.shared + fixed > shared) {
    return explained(
        fmt::format("it needs {} + {} bytes of shared memory (dynamic + static), but {} "
                    "allows {} a block",
                    config.shared, fixed, device.identify(), shared));
  }
  if (config.cooperative && context().table().occupancy_max_active_blocks) {
    const auto resident = static_cast<uint64_t>(active_blocks_per_multiprocessor(config)) *
                          limit(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const std::string at_a_time = fmt::format("{}, all at a time,", device.identify());
    const std::string what = "the number of blocks of a cooperative launch";
    if (const auto text = over(what, volume(config.grid), resident, at_a_time))
      return explained(*text);
  }
  return std::nullopt;
}

bool Function::fits_nowhere(const LaunchConfig& config) const {
  // Numbers that cannot be are a broken driver's, and say nothing of the launch.
  const KernelBounds own{0, static_cast<uint64_t>(std::max(attributes_.static_shared_bytes, 0))};
  if (impossible_launch({config.grid, config.block, config.shared}, own)) return true;
  const int registers = context().device().attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  const int most = attributes_.max_threads_per_block;
  return registers >= static_cast<int>(CudaLimits::registers) && most > 0 &&
         volume(config.block) > static_cast<uint64_t>(most);
}

void Function::prepare(const LaunchConfig& config) const {
  const int plain = context().device().attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  const uint64_t wanted = config.shared + static_cast<uint64_t>(attributes_.static_shared_bytes);
  if (wanted > static_cast<uint64_t>(plain)) {
    set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(config.shared));
  }
  constexpr uint64_t kPortable = 8;  // blocks of a cluster that every such GPU takes
  if (config.cluster[0] > 0 && volume(config.cluster) > kPortable) {
    set_attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }
}

void Function::set_attribute(CUfunction_attribute attribute, int value) const {
  context().call(
      &DriverTable::func_set_attribute, [this] { return identify(); }, handle_, attribute, value);
}

Function::Prepared Function::prepare(const LaunchConfig& config, KernelArguments& arguments) const {
  if (const auto text = misfit(config)) throw verdict_error(*text);
  if (const auto layout = parameters()) arguments.check(*layout, name_);
  prepare(config);
  return {*this, config, arguments};
}

void Function::launch(const LaunchConfig& config, KernelArguments& arguments,
                      const Stream& stream) const {
  prepare(config, arguments)(stream);
}

void Function::Prepared::operator()(const Stream& stream, bool* launched) {
  const Context& context = function_.context();
  const ScopedContext current(context);
  const auto object = [this] {
    return fmt::format("{}, {}", config_.text(), function_.identify());
  };
  const auto size = [](uint64_t value) { return static_cast<unsigned int>(value); };
  const auto& [gx, gy, gz] = config_.grid;
  const auto& [bx, by, bz] = config_.block;
  const DriverTable& table = context.table();
  if (launched != nullptr) *launched = true;
  if (config_.cluster[0] > 0) return launch_cluster(stream, object());
  if (config_.cooperative) {
    context.driver().call(table.launch_cooperative_kernel, object, function_.get(), size(gx),
                          size(gy), size(gz), size(bx), size(by), size(bz), size(config_.shared),
                          stream.get(), addresses_.data());
    return;
  }
  context.driver().call(table.launch_kernel, object, function_.get(), size(gx), size(gy), size(gz),
                        size(bx), size(by), size(bz), size(config_.shared), stream.get(),
                        addresses_.data(), nullptr);
}

void Function::Prepared::launch_cluster(const Stream& stream, const std::string& object) {
  const auto size = [](uint64_t value) { return static_cast<unsigned int>(value); };
  std::array<CUlaunchAttribute, 2> attributes{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {size(config_.cluster[0]), size(config_.cluster[1]),
                                    size(config_.cluster[2])};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = size(config_.grid[0]);
  config.gridDimY = size(config_.grid[1]);
  config.gridDimZ = size(config_.grid[2]);
  config.blockDimX = size(config_.block[0]);
  config.blockDimY = size(config_.block[1]);
  config.blockDimZ = size(config_.block[2]);
  config.sharedMemBytes = size(config_.shared);
  config.hStream = stream.get();
  config.attrs = attributes.data();
  config.numAttrs = config_.cooperative ? 2 : 1;
  const Context& context = function_.context();
  context.driver().call(
      context.table().launch_kernel_ex, [&] { return object; }, &config, function_.get(),
      addresses_.data(), nullptr);
}

int Function::active_blocks_per_multiprocessor(const LaunchConfig& config) const {
  const ScopedContext current(context());
  int blocks = 0;
  context().driver().call(
      context().table().occupancy_max_active_blocks, [this] { return identify(); }, &blocks,
      handle_, static_cast<int>(volume(config.block)), static_cast<size_t>(config.shared));
  return blocks;
}

std::string Function::identify() const {
  return fmt::format("kernel `{}`, {}", name_, module_->identify());
}

}  // namespace warpmark
