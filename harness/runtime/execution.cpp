#include "runtime/execution.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "base/text.hpp"
#include "driver/memory.hpp"
#include "driver/stream.hpp"

namespace warpmark {

namespace {

// The names that arithmetic knows as `device.NAME`.
std::map<std::string, int64_t> attributes_of(const Device& device) {
  const std::pair<const char*, CUdevice_attribute> named[] = {
      {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {"max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {"max_threads_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {"max_blocks_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
      {"max_registers_per_block", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {"max_shared_bytes_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {"max_shared_bytes_per_block_optin", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {"max_shared_bytes_per_multiprocessor",
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
      {"l2_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
  };
  std::map<std::string, int64_t> values;
  for (const auto& [name, attribute] : named) values[name] = device.attribute(attribute);
  values["memory_bytes"] = static_cast<int64_t>(device.total_memory());
  values["compute_capability"] = device.compute_capability().architecture();
  return values;
}

DeviceFacts facts_of(const DeviceChoice& choice, const Nvrtc& nvrtc) {
  const Device& device = choice.device;
  DeviceFacts facts;
  facts.kind = choice.kind;
  facts.name = device.name();
  facts.reason = choice.reason;
  facts.uuid = device.uuid();
  facts.architecture = device.compute_capability().architecture();
  facts.driver_version = device.driver()->version();
  facts.driver = device.driver()->path();
  facts.nvrtc_version = nvrtc.version();
  facts.nvrtc = nvrtc.path();
  for (const std::string& name : capability_names()) {
    const auto capability = find_capability(name);
    if (capability && device.has(*capability)) facts.capabilities.push_back(name);
  }
  facts.attributes = attributes_of(device);
  return facts;
}

DeviceChoice choose(const std::string& request, const DriverOpeners& openers) {
  try {
    return choose_device(request, openers);
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    throw NoDeviceError(error);
  }
}

LaunchConfig config_of(const protocol::Launch& launch) {
  LaunchConfig config;
  for (size_t axis = 0; axis < 3; ++axis) {
    config.grid[axis] = static_cast<uint64_t>(launch.grid[axis]);
    config.block[axis] = static_cast<uint64_t>(launch.block[axis]);
  }
  config.shared = static_cast<uint64_t>(launch.shared);
  return config;
}

}  // namespace

Executor::Executor(const protocol::Hello& request, const DriverOpeners& openers)
    : choice_(choose(request.device, openers)),
      context_(Context::create(choice_.device)),
      compiler_(Nvrtc::open(),
                CompileCache(request.use_cache ? CompileCache::default_folder() : "")),
      facts_(facts_of(choice_, compiler_.nvrtc())) {
  check_compiler_fits(choice_.device, compiler_.nvrtc().major(), compiler_.nvrtc().minor());
  // Else every case would fail of it as if its kernel did not compile.
  compiler_.nvrtc().check_architecture(facts_.architecture);
  if (request.wall_limit_s > 0 && choice_.device.has(Capability::reports)) {
    const nlohmann::json options = {
        {"wall_limit_ms", static_cast<int64_t>(request.wall_limit_s * 1000)}};
    context_->driver().configure(context_->handle(), options.dump());
  }
}

protocol::Prepared Executor::prepare(const protocol::Prepare& request) {
  launched_ = false;
  kernels_.clear();
  protocol::Prepared reply;
  reply.from_cache = true;
  std::vector<CompileResult> compiled;
  std::vector<Module> modules;
  std::vector<CompileRequest> requests;
  for (size_t i = 0; i < request.units.size(); ++i) {
    const protocol::UnitText& unit = request.units[i];
    CompileRequest compile;
    compile.source = unit.source;
    compile.name = unit.name;
    compile.folder = unit.folder;
    compile.origin = unit.origin;
    compile.options = unit.options;
    compile.regions = unit.regions;
    compile.architecture = facts_.architecture;
    for (const protocol::KernelName& kernel : request.kernels) {
      if (kernel.unit == i) compile.entry = kernel.entry;
    }
    compiled.push_back(compiler_.compile(compile));
    requests.push_back(compile);
    const CompileResult& result = compiled.back();
    for (const std::string& notice : result.notices) reply.notices.push_back(notice);
    const std::string warnings = result.warnings();
    if (!warnings.empty()) reply.notices.push_back(warnings);
    reply.from_cache = reply.from_cache && result.from_cache;
  }
  // Names are looked up before anything is loaded: a missing kernel is the better message.
  for (const protocol::KernelName& kernel : request.kernels) {
    CompileRequest wanted = requests.at(kernel.unit);
    wanted.entry = kernel.entry;
    reply.kernels.push_back(compiled.at(kernel.unit).entry(wanted));
  }
  if (!request.load) return reply;
  const bool takes_ptx = choice_.device.has(Capability::image_ptx);
  for (size_t i = 0; i < compiled.size(); ++i) {
    modules.emplace_back(context_, takes_ptx ? compiled[i].ptx : compiled[i].cubin,
                         request.units[i].name);
  }
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    kernels_.push_back(modules.at(request.kernels[i].unit).function(reply.kernels[i].name));
  }
  return reply;
}

struct Executor::Buffers {
  std::map<std::string, DeviceMemory> memory;
  std::map<std::string, std::string> scalars;

  DeviceMemory& find(const std::string& name) {
    const auto found = memory.find(name);
    if (found == memory.end()) throw internal_error("there is no buffer `" + name + "`");
    return found->second;
  }
};

std::string Executor::memory_misfit(const protocol::Verify& request) const {
  uint64_t wanted = 0;
  for (const protocol::BufferBytes& buffer : request.buffers) wanted += buffer.bytes;
  const MemoryInfo info = context_->memory_info();
  if (wanted <= info.free) return {};
  return fmt::format("its buffers take {}, and {} has {} free", format_bytes(wanted), facts_.name,
                     format_bytes(info.free));
}

void Executor::run_step(const protocol::Step& step, Buffers& buffers) {
  if (const auto* copy = std::get_if<protocol::Copy>(&step)) {
    buffers.find(copy->to).copy_from(buffers.find(copy->from));
    return;
  }
  if (const auto* fill = std::get_if<protocol::Fill>(&step)) {
    buffers.find(fill->buffer).fill(fill->byte);
    return;
  }
  const auto& launch = std::get<protocol::Launch>(step);
  KernelArguments arguments;
  for (const std::string& name : launch.arguments) {
    const auto scalar = buffers.scalars.find(name);
    if (scalar != buffers.scalars.end()) {
      arguments.add_bytes(scalar->second.data(), scalar->second.size());
    } else {
      arguments.add(buffers.find(name).address());
    }
  }
  const LaunchConfig config = config_of(launch);
  const Stream stream(context_);
  Function::Prepared prepared = kernels_.at(launch.kernel).prepare(config, arguments);
  launched_ = true;
  prepared(stream);
  // One step at a time: a fault belongs to the step that made it.
  stream.synchronize();
}

protocol::Verified Executor::verify(const protocol::Verify& request,
                                    std::vector<BufferMemory>& memory) {
  launched_ = false;
  protocol::Verified reply;
  for (const protocol::Step& step : request.steps) {
    const auto* launch = std::get_if<protocol::Launch>(&step);
    if (launch == nullptr) continue;
    const LaunchConfig config = config_of(*launch);
    if (const auto misfit = kernels_.at(launch->kernel).misfit(config)) {
      reply.misfit = *misfit;
      return reply;
    }
  }
  reply.misfit = memory_misfit(request);
  if (!reply.misfit.empty()) return reply;

  Buffers buffers;
  for (const protocol::ScalarBytes& scalar : request.scalars) {
    buffers.scalars[scalar.name] = scalar.bytes;
  }
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    const protocol::BufferBytes& wanted = request.buffers[i];
    DeviceMemory& buffer =
        buffers.memory.try_emplace(wanted.name, context_, wanted.bytes, wanted.name).first->second;
    if (wanted.bytes == 0) continue;
    context_->driver().label(context_->handle(), buffer.address(), wanted.bytes, wanted.name,
                             wanted.dtype);
    if (memory[i].initial) {
      buffer.upload(memory[i].initial->bytes().first(wanted.bytes));
    } else {
      buffer.fill(request.poison);
    }
  }
  for (const protocol::Step& step : request.steps) run_step(step, buffers);
  for (size_t i = 0; i < request.buffers.size(); ++i) {
    const protocol::BufferBytes& wanted = request.buffers[i];
    if (wanted.bytes == 0) continue;
    buffers.find(wanted.name).download(memory[i].result.bytes().first(wanted.bytes));
  }
  reply.reports = drain_reports();
  return reply;
}

std::vector<nlohmann::ordered_json> Executor::drain_reports() const {
  std::vector<nlohmann::ordered_json> reports;
  context_->driver().drain_reports(context_->handle(), [&](std::string_view line) {
    auto report = nlohmann::ordered_json::parse(line, nullptr, false);
    if (report.is_object()) reports.push_back(std::move(report));
  });
  return reports;
}

}  // namespace warpmark
