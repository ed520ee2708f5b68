#include "worker/device_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "driver/tensor_map.hpp"
#include "worker/large_buffers.hpp"

namespace warpmark {

namespace {

// Copies from and to registered memory are about nine times as fast (55 against 6 GB/s on an H200),
// and registering takes 12 ms for 256 MB: below this size it gains nothing. It is optional: with a
// driver that refuses it the copies are slow.
constexpr size_t kRegisterFrom = size_t{32} << 20;

bool is_registered(const Context& context, const SharedMemory& memory, bool allowed) {
  return allowed && memory.size() >= kRegisterFrom && context.table().mem_host_register;
}

HostRegistration registered(const std::shared_ptr<const Context>& context,
                            const SharedMemory& memory, bool allowed) {
  if (!is_registered(*context, memory, allowed)) return {};
  memory.populate();
  try {
    return {context, memory.bytes().data(), memory.size()};
  } catch (const DriverError& error) {
    if (error.sticky()) throw;
    return {};
  }
}

// Guards only devices that do not find out-of-bounds accesses to the byte: with others, pages would
// only take memory.
bool is_guarded(const Context& context, const protocol::Run& run) {
  return run.guard != protocol::Guard::none && !context.device().has(Capability::exact_bounds) &&
         GuardedMapping::is_there(context);
}

}  // namespace

LaunchConfig config_of(const protocol::Launch& launch) {
  LaunchConfig config;
  for (size_t axis = 0; axis < 3; ++axis) {
    config.grid[axis] = static_cast<uint64_t>(launch.grid[axis]);
    config.block[axis] = static_cast<uint64_t>(launch.block[axis]);
  }
  config.shared = static_cast<uint64_t>(launch.shared);
  for (size_t axis = 0; axis < 3; ++axis) {
    config.cluster[axis] = static_cast<uint64_t>(launch.cluster[axis]);
  }
  config.cooperative = launch.cooperative;
  return config;
}

VariableError::VariableError(protocol::SmallVariable variable)
    : Error(verdict_error(fmt::format("the variable `{}` {}", variable.name,
                                      variable.bytes ? "is too small" : "is not in the module"))),
      variable_(std::move(variable)) {}

DeviceRun::DeviceRun(std::shared_ptr<Context> context, const std::vector<Function>& kernels,
                     const std::optional<Module>& module, const protocol::Run& run,
                     const Shared* shared)
    : context_(std::move(context)),
      kernels_(kernels),
      module_(module),
      request_(run),
      guarded_(is_guarded(*context_, run)),
      protects_(run.guard != protocol::Guard::none),
      registers_(run.guard == protocol::Guard::none && !run.confined) {
  for (const protocol::BufferBytes& wanted : request_.buffers) {
    if (wanted.image) {
      images_.emplace(wanted.name, make_image(wanted));
      continue;
    }
    const DeviceMemory& buffer =
        memory_.emplace(wanted.name, make_buffer(wanted, shared)).first->second;
    // Variables already have names.
    if (wanted.bytes == 0 || !wanted.symbol.empty()) continue;
    leads_[wanted.name] = wanted.lead;
    const CUdeviceptr first = buffer.address() + wanted.lead;
    context_->driver().label(context_->handle(), first, wanted.bytes - wanted.lead, wanted.name,
                             wanted.dtype);
    if (wanted.element) context_->driver().elements(context_->handle(), first, *wanted.element);
    if (wanted.pitch > 0)
      context_->driver().rows(context_->handle(), first, wanted.row, wanted.pitch);
  }
  std::map<std::string, std::string> scalars;
  for (const protocol::ScalarBytes& scalar : run.scalars) {
    std::string& bytes = scalars.emplace(scalar.name, scalar.bytes).first->second;
    for (const protocol::ScalarBytes::Pointer& pointer : scalar.pointers) {
      const CUdeviceptr address = address_of(pointer.buffer);
      std::memcpy(bytes.data() + pointer.offset, &address, sizeof address);
    }
    if (!scalar.map) continue;
    const CUdeviceptr address = address_of(scalar.map->buffer);
    bytes = encoded_tensor_map(*context_, scalar.map->form, address, scalar.name);
  }
  for (const protocol::Step& step : run.steps) {
    if (const auto* copy = std::get_if<protocol::Copy>(&step)) {
      steps_.emplace_back(Copy{&find(copy->from), &find(copy->to)});
      continue;
    }
    if (const auto* fill = std::get_if<protocol::Fill>(&step)) {
      steps_.emplace_back(Fill{&find(fill->buffer), fill->byte});
      continue;
    }
    const auto& wire = std::get<protocol::Launch>(step);
    auto launch = std::make_unique<Launch>(
        Launch{kernels.at(wire.kernel), config_of(wire), KernelArguments{}, std::nullopt});
    for (size_t i = 0; i < wire.arguments.size(); ++i) {
      const std::string& name = wire.arguments[i];
      const auto scalar = scalars.find(name);
      if (scalar != scalars.end()) {
        launch->arguments.add_bytes(scalar->second.data(), scalar->second.size());
      } else if (const auto image = images_.find(name); image != images_.end()) {
        launch->arguments.add(image->second.object());
      } else {
        const auto offset = wire.offsets.find(std::to_string(i));
        launch->arguments.add(address_of(name) +
                              (offset != wire.offsets.end() ? offset->second : 0));
      }
    }
    launch->prepared.emplace(launch->function.prepare(launch->config, launch->arguments));
    steps_.emplace_back(std::move(launch));
  }
}

Image DeviceRun::make_image(const protocol::BufferBytes& wanted) const {
  const protocol::ImageShape& shape = *wanted.image;
  ImageConfig config;
  config.name = wanted.name;
  config.dtype = find_dtype(wanted.dtype).value();
  config.channels = static_cast<unsigned int>(shape.channels);
  config.surface = shape.surface;
  config.linear = shape.linear;
  config.normalized = shape.normalized;
  config.read_normalized = shape.read_normalized;
  for (size_t axis = 0; axis < 3; ++axis) {
    config.extents[axis] = shape.extents[axis];
    config.address[axis] = static_cast<CUaddress_mode>(shape.address[axis]);
  }
  return {context_, std::move(config)};
}

DeviceMemory DeviceRun::make_buffer(const protocol::BufferBytes& wanted, const Shared* shared) {
  if (shared != nullptr && std::ranges::count(shared->names, wanted.name) > 0) {
    const DeviceMemory& of = shared->of.find(wanted.name);
    return DeviceMemory::view(context_, of.address(), wanted.bytes, wanted.name);
  }
  if (!wanted.symbol.empty()) {
    const auto place = module_ ? module_->global(wanted.symbol) : std::nullopt;
    if (!place) throw VariableError({wanted.name, {}});
    if (wanted.bytes > place->second) throw VariableError({wanted.name, place->second});
    return DeviceMemory::view(context_, place->first, wanted.bytes, wanted.name);
  }
  if (!guarded_) return {context_, wanted.bytes, wanted.name};
  const auto edge = request_.guard == protocol::Guard::front ? DeviceMemory::Edge::front
                                                             : DeviceMemory::Edge::back;
  return DeviceMemory::guarded(context_, wanted.bytes, wanted.name, edge);
}

// Addresses are known only here.
void DeviceRun::write_pointers() {
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (buffer.pointers.empty()) continue;
    std::vector<CUdeviceptr> addresses;
    for (const std::string& name : buffer.pointers)
      addresses.push_back(name.empty() ? 0 : address_of(name));
    find(buffer.name).upload(std::as_bytes(std::span(addresses)));
  }
}

CUdeviceptr DeviceRun::address_of(const std::string& name) {
  const auto lead = leads_.find(name);
  return find(name).address() + (lead == leads_.end() ? 0 : lead->second);
}

// Bytes around the elements have no value.
void DeviceRun::forget_surroundings(const protocol::BufferBytes& placed) {
  if (placed.pitch == 0) return;
  const CUdeviceptr begin = find(placed.name).address();
  const auto forget = [&](CUdeviceptr from, uint64_t bytes) {
    if (bytes != 0) context_->driver().forget(context_->handle(), from, bytes);
  };
  forget(begin, placed.lead);
  for (uint64_t at = placed.lead; at < placed.bytes; at += placed.pitch) {
    forget(begin + at + placed.row, placed.pitch - placed.row);
  }
}

DeviceMemory& DeviceRun::find(const std::string& name) {
  const auto found = memory_.find(name);
  if (found == memory_.end()) throw internal_error("there is no buffer `" + name + "`");
  return found->second;
}

// The copy has the memory's whole value, so its bytes must be those of the buffer.
void DeviceRun::restore(DeviceMemory& buffer, const protocol::BufferBytes& wanted,
                        const InitialValue& initial, InitialCopies* copies) {
  const bool is_kept = copies != nullptr && is_large(wanted) && initial.size() == wanted.bytes;
  if (const DeviceMemory* copy = is_kept ? copies->find(initial) : nullptr) {
    buffer.copy_from(*copy);
    return;
  }
  if (const SharedMemory* mapped = initial.mapped()) {
    const HostRegistration fast = registered(context_, *mapped, registers_);
    buffer.upload(mapped->bytes().first(wanted.bytes));
  } else if (registers_) {
    initial.upload_to(buffer, context_);
  } else {
    buffer.upload(initial.bytes());
  }
  forget_surroundings(wanted);
  if (is_kept) copies->keep(context_, buffer, initial);
}

void DeviceRun::restore(const std::vector<BufferMemory>& memory, uint8_t poison,
                        InitialCopies* copies) {
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    if (request_.buffers[i].bytes == 0) continue;
    if (const auto image = images_.find(request_.buffers[i].name); image != images_.end()) {
      if (memory[i].initial) {
        image->second.upload(memory[i].initial->bytes().first(request_.buffers[i].bytes));
      } else {
        image->second.fill(poison);
      }
      continue;
    }
    DeviceMemory& buffer = find(request_.buffers[i].name);
    if (memory[i].initial && !request_.buffers[i].partition) {
      restore(buffer, request_.buffers[i], *memory[i].initial, copies);
      const bool own = request_.buffers[i].symbol.empty();
      if (protects_ && own && !request_.buffers[i].inout) buffer.forbid_writes();
    } else {
      buffer.fill(poison);
      context_->driver().forget(context_->handle(), buffer.address(), buffer.bytes());
    }
  }
  write_pointers();
}

void DeviceRun::queue_step(Step& step, const Stream& stream, bool& launched) {
  if (const auto* copy = std::get_if<Copy>(&step)) {
    copy->to->copy_from(*copy->from, stream);
  } else if (const auto* fill = std::get_if<Fill>(&step)) {
    fill->buffer->fill(fill->byte, stream);
  } else {
    (*std::get<std::unique_ptr<Launch>>(step)->prepared)(stream, &launched);
  }
}

void DeviceRun::run(const Stream& stream, bool& launched,
                    const std::function<void(size_t)>& before) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (before) before(i);
    queue_step(steps_[i], stream, launched);
    stream.synchronize();
  }
}

void DeviceRun::run_before_timed(const Stream& stream) {
  bool ignored = false;
  for (size_t i = 0; i < request_.timed_step.value_or(0); ++i) {
    queue_step(steps_.at(i), stream, ignored);
  }
  stream.synchronize();
}

void DeviceRun::run_after_timed(const Stream& stream) {
  bool ignored = false;
  for (size_t i = request_.timed_step.value_or(steps_.size()) + 1; i < steps_.size(); ++i) {
    queue_step(steps_[i], stream, ignored);
  }
  stream.synchronize();
}

std::span<DeviceRun::Step> DeviceRun::timed_steps() {
  const std::span<Step> all(steps_);
  return request_.timed_step ? all.subspan(*request_.timed_step, 1) : all;
}

size_t DeviceRun::queued_steps() const {
  return request_.timed_step ? 1 : steps_.size();
}

void DeviceRun::queue(const Stream& stream) {
  bool ignored = false;
  queue(stream, ignored);
}

void DeviceRun::queue(const Stream& stream, bool& launched) {
  for (Step& step : timed_steps()) queue_step(step, stream, launched);
}

std::future<void> DeviceRun::map_results(const std::vector<BufferMemory>& memory) const {
  std::vector<const SharedMemory*> results;
  for (size_t i = 0; i < memory.size(); ++i) {
    // An input that no step may change is fetched only if it changed, or if the device cannot tell.
    const std::optional<SharedMemory>& one = memory[i].result;
    if (one && !is_kept(request_.buffers[i]) && is_registered(*context_, *one, registers_))
      results.push_back(&*one);
  }
  if (results.empty()) return {};
  return std::async([results = std::move(results)] {
    for (const SharedMemory* one : results) one->populate();
  });
}

void DeviceRun::fetch(std::vector<BufferMemory>& memory,
                      const std::vector<std::string>& without) const {
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    if (request_.buffers[i].bytes == 0 || !memory[i].result) continue;
    if (std::ranges::find(without, request_.buffers[i].name) != without.end()) continue;
    if (request_.buffers[i].partition) continue;  // DeviceGroup gathers it
    if (const auto image = images_.find(request_.buffers[i].name); image != images_.end()) {
      image->second.download(memory[i].result->bytes().first(request_.buffers[i].bytes));
      continue;
    }
    const HostRegistration fast = registered(context_, *memory[i].result, registers_);
    const std::string& holder = request_.buffers[i].holder;
    memory_.at(holder.empty() ? request_.buffers[i].name : holder)
        .download(memory[i].result->bytes().first(request_.buffers[i].bytes));
  }
}

// Returns true for a buffer that no step may change. A swapped name holds what another name held,
// so it is never kept.
bool DeviceRun::is_kept(const protocol::BufferBytes& buffer) const {
  const bool swapped =
      !buffer.holder.empty() ||
      std::ranges::any_of(request_.buffers, [&](const protocol::BufferBytes& other) {
        return other.holder == buffer.name;
      });
  return buffer.has_initial && !buffer.inout && !swapped && !buffer.image && !buffer.partition &&
         buffer.pointers.empty() && buffer.bytes > 0;
}

uint64_t DeviceRun::input_bytes() const {
  uint64_t bytes = 0;
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (is_kept(buffer)) bytes += buffer.bytes;
  }
  return bytes;
}

std::string DeviceRun::changed_input(const std::vector<BufferMemory>& memory) const {
  std::vector<std::byte> now;
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    const protocol::BufferBytes& buffer = request_.buffers[i];
    if (!is_kept(buffer)) continue;
    now.resize(buffer.bytes);
    memory_.at(buffer.name).download(now);
    if (std::memcmp(now.data(), memory[i].initial->bytes().data(), buffer.bytes) != 0)
      return buffer.name;
  }
  return "";
}

std::vector<std::string> DeviceRun::trespasses() const {
  std::vector<std::string> names;
  for (const auto& [name, buffer] : memory_) {
    if (guarded_ && buffer.neighbours_changed()) names.push_back(name);
  }
  return names;
}

std::vector<protocol::BufferPlace> DeviceRun::places() const {
  std::vector<protocol::BufferPlace> places;
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (buffer.image) continue;  // it has no address
    places.push_back({buffer.name, buffer.dtype, memory_.at(buffer.name).address() + buffer.lead,
                      buffer.bytes - buffer.lead});
  }
  return places;
}

bool DeviceRun::changes(const protocol::Run& run, const protocol::BufferBytes& buffer) {
  return buffer.bytes > 0 && (buffer.inout || (run.timed_step && !buffer.has_initial));
}

bool DeviceRun::changes_inputs() const {
  return std::ranges::any_of(request_.buffers, [this](const protocol::BufferBytes& buffer) {
    return changes(request_, buffer);
  });
}

bool DeviceRun::can_keep_initial() const {
  return std::ranges::none_of(request_.buffers, [this](const protocol::BufferBytes& buffer) {
    return changes(request_, buffer) && buffer.image;
  });
}

std::vector<std::pair<DeviceMemory*, const protocol::BufferBytes&>> DeviceRun::outputs() {
  std::vector<std::pair<DeviceMemory*, const protocol::BufferBytes&>> found;
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    const bool empty = !buffer.has_initial && !changes(request_, buffer) && buffer.bytes > 0;
    if (empty && !buffer.image) found.emplace_back(&find(buffer.name), buffer);
  }
  return found;
}

std::vector<DeviceMemory*> DeviceRun::judged() {
  std::vector<DeviceMemory*> found;
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (buffer.judged && !buffer.image && buffer.bytes > 0)
      found.push_back(&find(buffer.holder.empty() ? buffer.name : buffer.holder));
  }
  return found;
}

void DeviceRun::keep_initial() {
  if (!initial_.empty()) return;
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (!changes(request_, buffer) || buffer.image) continue;
    DeviceMemory copy(context_, buffer.bytes, "initial " + buffer.name);
    copy.copy_from(find(buffer.name));
    initial_.emplace_back(&find(buffer.name), std::move(copy));
  }
}

void DeviceRun::queue_restore(const Stream& stream) {
  for (auto& [buffer, initial] : initial_) buffer->copy_from(initial, stream);
}

std::unique_ptr<DeviceRun> DeviceRun::copy() const {
  auto other = std::make_unique<DeviceRun>(context_, kernels_, module_, request_);
  for (const protocol::BufferBytes& buffer : request_.buffers) {
    if (buffer.bytes == 0 || !buffer.symbol.empty() || buffer.image) continue;
    other->find(buffer.name).copy_from(memory_.at(buffer.name));
  }
  other->write_pointers();
  return other;
}

uint64_t DeviceRun::bytes() const {
  uint64_t all = 0;
  for (const protocol::BufferBytes& buffer : request_.buffers) all += buffer.bytes;
  for (const auto& [buffer, initial] : initial_) all += initial.bytes();
  return all;
}

std::vector<std::pair<DeviceMemory*, size_t>> DeviceRun::chosen(
    bool (*wanted)(const protocol::BufferBytes&)) {
  std::vector<std::pair<DeviceMemory*, size_t>> found;
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    const protocol::BufferBytes& buffer = request_.buffers[i];
    if (wanted(buffer) && !buffer.image) found.emplace_back(&find(buffer.name), i);
  }
  return found;
}

std::vector<std::pair<DeviceMemory*, size_t>> DeviceRun::inputs() {
  return chosen([](const protocol::BufferBytes& one) { return one.has_initial; });
}

std::vector<std::pair<DeviceMemory*, size_t>> DeviceRun::results() {
  return chosen([](const protocol::BufferBytes& one) { return !one.has_initial || one.inout; });
}

std::vector<KernelFacts> DeviceRun::kernel_facts() const {
  std::vector<KernelFacts> facts;
  const Device& device = context_->device();
  const int warp = device.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  const int most = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto* launch = std::get_if<std::unique_ptr<Launch>>(&steps_[i]);
    if (launch == nullptr || (request_.timed_step && *request_.timed_step != i)) continue;
    const Function& function = (*launch)->function;
    const LaunchConfig& config = (*launch)->config;
    KernelFacts one;
    one.entry = function.name();
    int64_t threads = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      one.grid[axis] = static_cast<int64_t>(config.grid[axis]);
      one.block[axis] = static_cast<int64_t>(config.block[axis]);
      threads *= one.block[axis];
    }
    one.registers = function.attributes().registers;
    one.shared_bytes =
        function.attributes().static_shared_bytes + static_cast<int64_t>(config.shared);
    one.local_bytes = function.attributes().local_bytes;
    if (context_->table().occupancy_max_active_blocks) {
      one.active_blocks = function.active_blocks_per_multiprocessor(config);
    }
    if (warp > 0 && most >= warp) {
      const int64_t warps = (threads + warp - 1) / warp;
      const int64_t most_warps = most / warp;
      one.occupancy =
          static_cast<double>(one.active_blocks * warps) / static_cast<double>(most_warps);
    }
    facts.push_back(std::move(one));
  }
  return facts;
}

}  // namespace warpmark
