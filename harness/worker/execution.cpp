#include "worker/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <map>
#include <system_error>
#include <utility>

#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "driver/linker.hpp"
#include "driver/stream.hpp"
#include "driver/tensor_map.hpp"
#include "worker/coverage.hpp"
#include "worker/large_buffers.hpp"

namespace warpmark {

namespace {

DeviceChoice choose(const protocol::Hello& request, const DriverOpeners& openers) {
  try {
    DeviceChoice choice = choose_device(request.device, openers);
    if (request.further == 0) return choice;
    const auto& driver = choice.device.driver();
    const int index = (choice.device.index() + request.further) % Device::count(*driver);
    choice.device = Device(driver, index);
    return choice;
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    throw NoDeviceError(error);
  }
}

// Opening NVRTC, a library of 100 MB, takes 15 ms, and starting a GPU a quarter of a second: both at
// the same time, unless the device takes next to nothing.
std::future<std::shared_ptr<const Nvrtc>> opening_nvrtc(const protocol::Hello& request) {
  if (request.confined) return {};
  const auto open = [] { return Nvrtc::open(); };
  const bool is_quick = request.device.starts_with("cpu");
  if (!is_quick) {
    try {
      return std::async(std::launch::async, open);
    } catch (const std::system_error&) {  // no thread: one after the other
    }
  }
  return std::async(std::launch::deferred, open);
}

}  // namespace

Executor::Executor(const protocol::Hello& request, const DriverOpeners& openers)
    : Executor(request, openers, opening_nvrtc(request)) {}

Executor::Executor(const protocol::Hello& request, const DriverOpeners& openers,
                   std::future<std::shared_ptr<const Nvrtc>> nvrtc)
    : choice_(choose(request, openers)),
      context_(Context::create(choice_.device)),
      facts_(facts_of(choice_)) {
  if (!request.confined) {
    compiler_.emplace(Compiler(nvrtc.get(), CompileCache(request.use_cache ? cache_folder() : "")));
    const Nvrtc& found = compiler_->compiler().nvrtc();
    facts_.nvrtc_version = found.version();
    facts_.nvrtc = found.path();
    check_compiler_fits(choice_.device, found.major(), found.minor());
    // Otherwise every case would fail with this error as if its kernel did not compile.
    found.check_architecture(facts_.architecture);
  }
  if (request.confined && request.confined->confinement.times &&
      !choice_.device.has(Capability::counters)) {
    // This happens before the sandbox, which allows no files, and before there is a submission,
    // which so never meets the compiler.
    const Compiler compiler(Nvrtc::open(), CompileCache(""));
    timing_image_ = TimingKernels::image(choice_.device, compiler, facts_.architecture);
    timing_kernels_.emplace(context_, timing_image_, facts_.architecture);
  }
  if (request.times) get_ready_to_time();
  // A device that cannot be configured is reported now, instead of as a failure of each case.
  if (choice_.device.has(Capability::reports)) {
    context_->driver().configure(context_->handle(), R"({"wall_limit_ms": 0})");
  }
}

// Limits of a context hold from its start, so that other limits need a new context. Returns why the
// device cannot have them, or "".
std::string Executor::set_context(const protocol::ContextLimits& limits) {
  if (limits == context_limits_) return "";
  if (!context_->table().ctx_set_limit) {
    return fmt::format("sets the stack or the heap, which {} cannot", facts_.name);
  }
  return replace_context(limits);
}

std::string Executor::replace_context(protocol::ContextLimits limits) {
  copies_.clear();
  timing_kernels_.reset();
  kernels_.clear();
  main_module_.reset();
  modules_.clear();
  beside_.reset();
  context_.reset();
  context_ = Context::create(choice_.device);
  context_limits_ = {};
  launch_limits_.clear();
  try {
    if (limits.stack_bytes > 0) context_->set_limit(CU_LIMIT_STACK_SIZE, limits.stack_bytes);
    if (limits.heap_bytes > 0) context_->set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, limits.heap_bytes);
  } catch (const DriverError& error) {
    if (error.sticky()) throw;
    return error.message();
  }
  context_limits_ = limits;
  return "";
}

std::string Executor::no_tensor_maps() const {
  return fmt::format("takes tensor maps, which {} does not have", facts_.name);
}

// Makes the context that units are loaded into; returns why the device cannot have it, or "".
std::string Executor::set_up(const protocol::ContextLimits& limits,
                             const std::vector<bool>& linked) {
  if (std::string why = set_context(limits); !why.empty()) return why;
  const bool links = std::ranges::find(linked, true) != linked.end();
  if (!links || Linker::is_there(*context_)) return "";
  return fmt::format("links several units, which {} cannot", facts_.name);
}

protocol::Prepared Executor::load(const protocol::Load& request) {
  launched_ = false;
  kernels_.clear();
  main_module_.reset();
  modules_.clear();
  others_.clear();
  protocol::Prepared reply;
  reply.misfit = set_up(request.limits, linked_units(request.units));
  if (!reply.misfit.empty()) return reply;
  PreparedDevice loaded = load_on(context_, request);
  kernels_ = std::move(loaded.kernels);
  main_module_ = std::move(loaded.main_module);
  modules_ = std::move(loaded.modules);
  loaded_ = request;
  ran_ = false;
  return reply;
}

// Restores the variables and the kernels' heap, which the last launch may have changed.
void Executor::restore_modules(bool beside_first) {
  if (!ran_ || !loaded_) return;
  const protocol::Load wanted = std::move(*loaded_);
  std::optional<protocol::Load> beside;
  if (beside_) beside = std::move(beside_->loaded);
  beside_.reset();
  const std::size_t devices = others_.size() + 1;
  if (uses_heap(wanted) || (beside && uses_heap(*beside))) replace_context(context_limits_);
  const auto load_beside = [&] { beside_.emplace(Beside{load_on(context_, *beside), *beside}); };
  if (beside && beside_first) load_beside();
  load(wanted);
  load_on_others(wanted, devices);
  if (beside && !beside_first) load_beside();
}

protocol::Prepared Executor::prepare_beside(const protocol::Prepare& request) {
  if (!loaded_) throw internal_error("there is nothing to be timed against");
  if (!(request.limits == context_limits_)) {
    protocol::Prepared reply;
    reply.misfit = "has another stack or heap, which hold for all kernels of a context";
    return reply;
  }
  Beside own{{context_, std::move(kernels_), std::move(main_module_), std::move(modules_)},
             std::move(*loaded_)};
  const auto take_back = [&] {
    kernels_ = std::move(own.kernels.kernels);
    main_module_ = std::move(own.kernels.main_module);
    modules_ = std::move(own.kernels.modules);
    loaded_ = std::move(own.loaded);
  };
  protocol::Prepared reply;
  try {
    reply = prepare_alone(request);
  } catch (const Error&) {
    take_back();
    throw;
  }
  if (loaded_) {
    PreparedDevice kernels{context_, std::move(kernels_), std::move(main_module_),
                           std::move(modules_)};
    beside_.emplace(Beside{std::move(kernels), std::move(*loaded_)});
  }
  take_back();
  return reply;
}

// Returns why there are too few devices, or "". The first is the chosen one; the others follow it,
// and after the last comes number 0.
std::string Executor::load_on_others(const protocol::Load& request, uint64_t devices) {
  if (devices <= 1) return "";
  const auto& driver = choice_.device.driver();
  const auto count = static_cast<uint64_t>(Device::count(*driver));
  if (devices > count) {
    return fmt::format("runs on {} devices, and there {} {}", devices, count == 1 ? "is" : "are",
                       count);
  }
  for (uint64_t i = 1; i < devices; ++i) {
    const auto index = (static_cast<uint64_t>(choice_.device.index()) + i) % count;
    auto context = Context::create(Device(driver, static_cast<int>(index)));
    others_.push_back(load_on(std::move(context), request));
  }
  return "";
}

std::vector<PreparedDevice> Executor::group() const {
  std::vector<PreparedDevice> all = {{context_, kernels_, main_module_}};
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

// Returns why one of the further devices does not run code for the target, or "".
std::string Executor::misfit_of_others(const Architecture& target, bool as_ptx,
                                       uint64_t devices) const {
  if (devices <= 1) return "";
  const auto& driver = choice_.device.driver();
  const int count = Device::count(*driver);
  for (uint64_t i = 1; i < devices && devices <= static_cast<uint64_t>(count); ++i) {
    const Device other(driver, (choice_.device.index() + static_cast<int>(i)) % count);
    const int capability = other.compute_capability().architecture();
    if (as_ptx ? target.ptx_runs_on(capability) : target.cubin_runs_on(capability)) continue;
    return fmt::format("runs code for {} on {} devices, and {} has compute capability {}",
                       target.name(), devices, other.identify(), capability_text(capability));
  }
  return "";
}

// Only the driver knows the parameters of kernels in a binary.
void Executor::add_parameters(const protocol::Prepare& request, std::vector<Entry>& entries) const {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (request.units[request.kernels[i].unit].language != SourceLanguage::binary) continue;
    const auto parameters = kernels_.at(i).parameters();
    if (!parameters) {
      throw environment_error("the driver does not say what a kernel of a cubin takes",
                              "a driver of CUDA 12.4 or newer does");
    }
    for (const ParameterLayout& one : *parameters) {
      entries[i].parameters.push_back({one.offset, one.bytes, 1, ""});
    }
  }
}

protocol::Prepared Executor::prepare(const protocol::Prepare& request) {
  return request.beside ? prepare_beside(request) : prepare_alone(request);
}

protocol::Prepared Executor::prepare_alone(const protocol::Prepare& request) {
  beside_.reset();
  times_ = request.times;
  copies_.clear();
  launched_ = false;
  kernels_.clear();
  loaded_.reset();
  if (!compiler_) throw internal_error("a worker without a compiler was asked to compile");
  protocol::Prepared reply;
  reply.misfit = set_up(request.limits, linked_units(request.units));
  if (!reply.misfit.empty()) return reply;
  // Such kernels do not even compile for the devices that lack them.
  if (request.tensor_maps && !has_tensor_maps(*context_)) {
    reply.misfit = no_tensor_maps();
    return reply;
  }
  const Architecture target =
      parse_architecture(request.target.empty() ? facts_.target : request.target);
  const bool as_ptx = takes_ptx() || !target.cubin_runs_on(facts_.architecture);
  reply.misfit = misfit_of_others(target, as_ptx, request.load ? request.devices : 1);
  if (!reply.misfit.empty()) return reply;
  UnitCompiler::Compiled made = compiler_->compile(request, target);
  static_cast<Signatures&>(reply) = std::move(static_cast<Signatures&>(made));
  reply.notices = std::move(made.notices);
  reply.from_cache = made.from_cache;
  const auto binary =
      std::ranges::find(request.units, SourceLanguage::binary, &protocol::UnitText::language);
  const bool has_binary = binary != request.units.end();
  if (request.load || has_binary) {
    try {
      const protocol::Load wanted = load_request(request, reply.kernels, made.images, as_ptx);
      load(wanted);
      if (request.load) reply.misfit = load_on_others(wanted, request.devices);
      if (!reply.misfit.empty()) return reply;
    } catch (const DriverError& error) {
      if (!has_binary || error.result() != CUDA_ERROR_NO_BINARY_FOR_GPU) throw;
      reply.misfit = fmt::format("runs {}, which has no code for {}", binary->name, facts_.name);
      return reply;
    }
  }
  if (has_binary) add_parameters(request, reply.kernels);
  if (request.images) reply.images = std::move(made.images);
  return reply;
}

protocol::Misfit Executor::misfit(const protocol::Run& run, uint64_t more) const {
  for (size_t i = 0; i < run.steps.size(); ++i) {
    const auto* launch = std::get_if<protocol::Launch>(&run.steps[i]);
    if (launch == nullptr) continue;
    const Function& kernel = kernels_.at(launch->kernel);
    const LaunchConfig config = config_of(*launch);
    if (auto text = kernel.misfit(config)) return {*text, i, kernel.fits_nowhere(config)};
  }
  for (const protocol::ScalarBytes& scalar : run.scalars) {
    if (!scalar.map) continue;
    if (!has_tensor_maps(*context_)) return {no_tensor_maps(), std::nullopt, false};
    if (auto text = lacks_tensor_map(*context_, scalar.map->form, scalar.name))
      return {*text, std::nullopt, false};
  }
  uint64_t wanted = more;
  for (const protocol::BufferBytes& buffer : run.buffers) wanted += buffer.bytes;
  const MemoryInfo info = context_->memory_info();
  if (wanted <= info.free) return {};
  return {
      fmt::format("its buffers take {}{}, and {} has {} free", format_bytes(wanted),
                  more > 0 ? " with what timing needs" : "", facts_.name, format_bytes(info.free)),
      std::nullopt, false};
}

void Executor::set_launch_limits(const protocol::Run& run) {
  if (!choice_.device.has(Capability::reports)) return;
  nlohmann::json options = {{"wall_limit_ms", static_cast<int64_t>(run.wall_limit_s * 1000)}};
  // The option is not touched until a case uses it: the environment may have set one.
  if (run.instructions > 0 || launch_limits_.find("budget") != std::string::npos) {
    options["instruction_budget"] = run.instructions;
  }
  if (run.threads != 0) options["workers"] = run.threads;
  if (run.schedule != 0) {
    options["schedule_seed"] = run.schedule;
  } else if (launch_limits_.find("schedule") != std::string::npos) {
    options["schedule_seed"] = nullptr;
  }
  // The same with checks; a run that names none gets the checks that were set before.
  const bool named = !run.checks.empty() || launch_limits_.find("checks") != std::string::npos;
  if (named && choice_.device.has(Capability::checks)) {
    options["checks"] = run.checks.empty() ? std::vector<std::string>{"memory"} : run.checks;
  }
  const bool profiles = choice_.device.has(Capability::profile);
  if (profiles && (!run.counters.empty() || launch_limits_.find("counters") != std::string::npos)) {
    options["counters"] = run.counters;
  }
  const std::string text = json_line(options);
  for (const PreparedDevice& other : others_) {
    other.context->driver().configure(other.context->handle(), text);
  }
  if (text == launch_limits_) return;
  context_->driver().configure(context_->handle(), text);
  launch_limits_ = text;
}

protocol::Verified Executor::verify(const protocol::Verify& request,
                                    std::vector<BufferMemory>& memory) {
  launched_ = false;
  restore_modules();
  copies_.clear();
  ran_ = true;
  protocol::Verified reply;
  reply.misfit = misfit(request.run);
  if (!reply.misfit.text.empty()) return reply;
  set_launch_limits(request.run);
  places_.clear();
  if (request.run.devices > 1) return verify_on_several(request, memory);
  DeviceRun run(context_, kernels_, main_module_, request.run);
  places_ = run.places();
  const std::future<void> mapped = run.map_results(memory);
  const bool looks = has_large_buffers(request.run) && !choice_.device.has(Capability::counters);
  // Timing takes the buffers again, copies of those that change, and flushes the cache.
  constexpr uint64_t kMore = uint64_t{1} << 30;
  if (looks && times_) copies_.begin(3 * run.bytes() + kMore);
  run.restore(memory, request.poison, looks ? &copies_ : nullptr);
  copies_.end();
  std::optional<LargeBuffers> large;
  if (looks && has_timing_kernels()) large.emplace(timing_kernels(), run, request.run);
  drain_counters();
  const bool several = request.run.steps.size() > 1;
  // A later step may undo a change of an input, so the inputs are compared before each step, up to
  // kMostLooked bytes a run.
  constexpr uint64_t kMostLooked = uint64_t{1} << 30;
  const uint64_t looked = run.input_bytes();
  uint64_t left = kMostLooked;
  run.run(Stream(context_), launched_, [&](size_t step) {
    if (!several) return;
    drains_.collect_reports(contexts(), step_);
    step_ = step;
    if (step == 0 || looked == 0 || looked > left || reply.changed_input) return;
    left -= looked;
    if (const std::string input = run.changed_input(memory); !input.empty())
      reply.changed_input = {input, step - 1};
  });
  count(request.run, reply);
  if (large) {
    large->look_again(reply.on_device);
    large->share(copies_, memory, reply.on_device);
  }
  if (mapped.valid()) mapped.wait();
  run.fetch(memory, reply.on_device.unchanged);
  reply.places = places_;
  reply.trespasses = run.trespasses();
  reply.reports = drain_reports();
  return reply;
}

// Puts the counters and schedules of the launches of a run into the reply.
void Executor::count(const protocol::Run& run, protocol::Verified& reply) {
  std::vector<nlohmann::ordered_json> launches = drain_counters();
  reply.schedules = drains_.schedules();
  reply.coverage = drains_.take_coverage();
  const bool counts = std::ranges::any_of(
      run.counters, [](const std::string& name) { return name != kCoverageCounters; });
  if (counts && choice_.device.has(Capability::profile)) reply.counters = std::move(launches);
}

protocol::Verified Executor::verify_on_several(const protocol::Verify& request,
                                               std::vector<BufferMemory>& memory) {
  protocol::Verified reply;
  DeviceGroup group(this->group(), request.run);
  places_ = group.first().places();
  group.restore(memory, request.poison);
  drain_counters();
  group.run(launched_);
  count(request.run, reply);
  group.fetch(memory);
  reply.places = places_;
  reply.reports = drain_reports();
  return reply;
}

// The first device, and the further ones of a case that runs on several.
std::vector<const Context*> Executor::contexts() const {
  std::vector<const Context*> all = {&*context_};
  for (const PreparedDevice& other : others_) all.push_back(&*other.context);
  return all;
}

std::vector<nlohmann::ordered_json> Executor::drain_reports() {
  drains_.collect_reports(contexts(), step_);
  step_.reset();
  return drains_.take_reports();
}

std::vector<nlohmann::ordered_json> Executor::drain_coverage() {
  drain_counters();
  return drains_.take_coverage();
}

std::vector<nlohmann::ordered_json> Executor::drain_counters() {
  return drains_.drain_counters(contexts());
}

}  // namespace warpmark
