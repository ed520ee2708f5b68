// The driver's one instance, its lock, and the rules of current contexts.
#include "api/state.hpp"

#include "api/checks.hpp"
#include "api/graph.hpp"
#include "api/mistake.hpp"
#include "api/report.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <system_error>

#include "memory/pages.hpp"
#include "warpmark/per_thread.hpp"
#include "warpmark/processors.hpp"

namespace warpmark::cpu {

namespace {

constexpr std::uint64_t kMostDevices = 16;

// The value of an environment variable, if set; one that cannot be read is reported and ignored.
template <typename Read>
auto setting(const char* variable, const char* wanted, Read read) -> decltype(read("")) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto value = read(std::string_view(text));
  if (!value) std::fprintf(stderr, "%s: \"%s\" is not %s; ignored\n", variable, text, wanted);
  return value;
}

std::optional<std::uint64_t> whole_number(const char* variable) {
  return setting(variable, "a whole number", [](std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
  });
}

// The bytes of a variable such as 512M or 16G. Each context reserves eight times as many addresses.
std::optional<std::uint64_t> memory_size(const char* variable) {
  return setting(variable, "a size from 64M to 1024G, such as 16G", [](std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const int shift = unit == "M" ? 20 : unit == "G" ? 30 : -1;
    if (error != std::errc() || shift < 0 || value > (std::uint64_t{1} << 20))
      return std::optional<std::uint64_t>();
    value <<= shift;
    const bool good = value >= std::uint64_t{64} << 20 && value <= std::uint64_t{1} << 40;
    return good ? std::optional(value) : std::nullopt;
  });
}

// The addresses that the process may still reserve (`ulimit -v`), if there is a limit.
std::optional<std::uint64_t> addresses_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * kHostPage;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

// Makes the memory of each of `devices` fit into a limit of addresses, of which the program needs
// some, too. Each context maps its span twice. Memory that the user asked for stays as it is.
void fit_into_addresses(DeviceProperties& properties, bool asked, std::uint64_t devices) {
  const auto left = addresses_left();
  if (!left) return;
  constexpr std::uint64_t kLeastSpread = 2, kLeastMemory = std::uint64_t{64} << 20;
  const std::uint64_t most = *left / 2 / devices / 2;
  while (properties.address_span() > most && properties.spread > kLeastSpread)
    properties.spread /= 2;
  while (properties.address_span() > most && properties.memory > kLeastMemory && !asked)
    properties.memory /= 2;
}

// The milliseconds of a variable that holds seconds, perhaps with a decimal point.
std::optional<std::uint64_t> milliseconds(const char* variable) {
  constexpr double most = 1e9;  // 30 years
  return setting(variable, "a number of seconds", [](std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool seconds =
        error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most;
    return seconds ? std::optional(static_cast<std::uint64_t>(value * 1e3 + 0.999)) : std::nullopt;
  });
}

// A thread that never gives the lock back must not keep the process from ending.
void at_exit() {
  const std::unique_lock lock(driver().mutex, std::try_to_lock);
  if (!lock) return;
  try {
    report_end();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to read it
  }
}

}  // namespace

// "9.0", as 90.
std::optional<int> capability(const char* variable) {
  return setting(variable, "a compute capability such as 9.0", [](std::string_view text) {
    const std::size_t dot = text.find('.');
    int major = 0;
    const char* end = text.data() + (dot == std::string_view::npos ? 0 : dot);
    const auto [behind, error] = std::from_chars(text.data(), end, major);
    const bool good = error == std::errc() && behind == end && text.size() == dot + 2 &&
                      text.back() >= '0' && text.back() <= '9' && major >= 5 && major <= 99;
    return good ? std::optional(major * 10 + (text.back() - '0')) : std::nullopt;
  });
}

namespace {

// "13.0", as 130. Drivers before 11.0 are another library.
std::optional<int> named_driver() {
  return setting(
      "WARPMARK_CPU_DRIVER", "a version of CUDA from 11.0 on, such as 12.4",
      [](std::string_view text) {
        const bool good = text.size() == 4 && text[0] == '1' && text[1] >= '1' && text[1] <= '9' &&
                          text[2] == '.' && text[3] >= '0' && text[3] <= '9';
        return good ? std::optional((text[1] - '0') * 10 + (text[3] - '0') + 100) : std::nullopt;
      });
}

// The newest PTX of a release of CUDA: PTX ISA, "Release Notes", table of versions.
std::uint32_t newest_ptx(int cuda) {
  constexpr std::pair<int, std::uint32_t> kSkips[] = {{126, 85}, {127, 86}, {128, 87}, {129, 88}};
  for (const auto& [release, version] : kSkips) {
    if (release == cuda) return version;
  }
  // 11.0 has 7.0, 12.0 has 8.0, 13.0 has 9.0.
  return static_cast<std::uint32_t>(cuda - 40);
}

}  // namespace

Driver::Driver() {
  if (const auto given = named_driver()) {
    properties.driver_version = *given / 10 * 1000 + *given % 10 * 10;
    properties.newest_ptx = newest_ptx(*given);
  }
  if (const auto given = capability("WARPMARK_CPU_CAPABILITY")) {
    properties.major = *given / 10;
    properties.minor = *given % 10;
  }
  const auto memory = memory_size("WARPMARK_CPU_MEMORY");
  properties.memory = memory.value_or(properties.memory);
  const std::uint64_t count = whole_number("WARPMARK_CPU_DEVICES").value_or(1);
  devices.resize(std::min(count, kMostDevices));
  fit_into_addresses(properties, memory.has_value(), std::max<std::size_t>(1, devices.size()));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].default_pool.place.id = static_cast<int>(i);
    devices[i].default_pool.shared = true;
    devices[i].pool = &devices[i].default_pool;
  }
}
Driver::~Driver() = default;

Context::Context() : arena(driver().properties.address_span(), driver().properties.memory) {}

Driver& driver() {
  static Driver* const instance = [] {
    auto* made = new Driver;
    Limits& limits = made->default_limits;
    if (const auto workers = whole_number("WARPMARK_CPU_WORKERS"))
      limits.workers = worker_count(*workers);
    made->environment_schedule = whole_number("WARPMARK_CPU_SCHEDULE_SEED").value_or(0);
    limits.schedule_seed = made->environment_schedule;
    limits.wall_limit_ms = milliseconds("WARPMARK_CPU_TIMEOUT").value_or(0);
    const char* check = std::getenv("WARPMARK_CPU_CHECK");
    const std::string unknown =
        check == nullptr ? "" : choose_checks(std::string_view(check), made->default_limits);
    if (!unknown.empty()) {
      std::fprintf(stderr, "WARPMARK_CPU_CHECK: unknown check \"%s\"; known are %s\n",
                   unknown.c_str(), kCheckNames);
    }
    if (const char* proxies = std::getenv("WARPMARK_CPU_PROXIES")) {
      limits.strict_proxies = std::string_view(proxies) == "strict";
      if (!limits.strict_proxies)
        std::fprintf(stderr, "WARPMARK_CPU_PROXIES: \"%s\" is not a known word (strict); ignored\n",
                     proxies);
    }
    if (reports_are_printed()) (void)std::atexit(at_exit);
    return made;
  }();
  return *instance;
}

std::vector<CUcontext>& context_stack() {
  return per_thread<std::vector<CUcontext>>();
}

std::string& last_error() {
  return per_thread<std::string>();
}

namespace {

// Set in a process that was forked from one that had called cuInit. Its threads, locks and pages
// are the parent's, or gone.
std::atomic<bool> lost_by_fork{false};

CUresult refuse_forked() {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) {
    std::fputs(
        "warpmark: this process was forked after cuInit, and CUDA does not work in it: call cuInit "
        "in the child alone, or start it anew (multiprocessing: the method `spawn`)\n",
        stderr);
  }
  return CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace

// Why the system gave no memory.
static std::string no_memory_text() {
  const auto left = addresses_left();
  if (!left) return "the system gives no more memory; WARPMARK_CPU_MEMORY=64M makes do with less";
  return "`ulimit -v` leaves " + std::to_string(*left >> 20) +
         " MiB of addresses; WARPMARK_CPU_MEMORY=64M makes do with fewer";
}

void refuse_forks() {
  static const int once = pthread_atfork(nullptr, nullptr, [] { lost_by_fork = true; });
  (void)once;
}

CUresult enter(const char* name, CUresult (*body)(void*), void* closure) {
  if (lost_by_fork) return refuse_forked();
  try {
    last_error().clear();
    refused_range() = {};
    const std::lock_guard lock(driver().mutex);
    return body(closure);
  } catch (const std::bad_alloc&) {
    last_error() = no_memory_text();
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_error() = std::string(name) + ": " + error.what();
    return CUDA_ERROR_UNKNOWN;
  }
}

CUresult current_context(Waits waits, Context*& context) {
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty() || stack.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  context = driver().find(stack.back());
  if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return state_of(*context, waits);
}

CUresult named_context(CUcontext given, Context*& context) {
  if (given == nullptr) return current_context(Waits::no, context);
  context = driver().find(given);
  return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult state_of(Context& context, Waits waits) {
  if (waits == Waits::yes) flush_output(context);
  if (waits == Waits::yes && context.sticky == CUDA_SUCCESS) context.sticky = context.pending;
  return context.sticky;
}

Context* Driver::create(unsigned int flags, int device) {
  return add(std::make_shared<Context>(), flags, device);
}

Context* Driver::activate_primary(Device& device) {
  const std::shared_ptr<Context> context(new (device.primary_place) Context,
                                         [](Context* gone) { gone->~Context(); });
  device.primary = add(context, device.primary_flags, device.default_pool.place.id);
  device.primary->primary = true;
  device.primary_known = true;
  return device.primary;
}

Device* Driver::primary_of(CUcontext handle) {
  for (Device& device : devices) {
    if (device.primary_known && reinterpret_cast<std::byte*>(handle) == device.primary_place)
      return &device;
  }
  return nullptr;
}

Context* Driver::add(const std::shared_ptr<Context>& context, unsigned int flags, int device) {
  context->flags = flags;
  context->device = device;
  context->id = next_id++;
  context->launch_limits = default_limits;
  context->arena.track_values(default_limits.checks.init);
  context->arena.share_capacity(this->device(device).physical_used);
  if (virtual_memory != nullptr) context->arena.connect(virtual_memory->view(device));
  Context* made = context.get();
  made->per_thread_stream.context = made;
  made->per_thread_stream.id = next_id++;
  made->arena.set_device(device);
  contexts.emplace(reinterpret_cast<CUcontext>(made), context);
  connect_shared();
  return made;
}

Arena* Driver::arena_of(const Context& context, std::uint64_t address, std::uint64_t bytes) const {
  if (virtual_memory != nullptr && virtual_memory->contains(address))
    return &virtual_memory->view(context.device, address, bytes);
  Context* found = owner(address);
  return found == nullptr ? nullptr : &found->arena;
}

void Driver::connect_shared() {
  if (contexts.size() < 2) return;
  for (const auto& [handle, from] : contexts) {
    if (!from->arena.shares()) continue;
    for (const auto& [other, to] : contexts) {
      if (to != from) to->arena.connect_shared(from->arena);
    }
  }
}

std::uint16_t Pool::devices(CUmemAccess_flags with) const {
  unsigned int all = 0;
  for (const auto& [other, flags] : access) {
    if (flags == with || (flags != 0 && with == CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
      all |= 1u << other;
  }
  return static_cast<std::uint16_t>(all);
}

CUmemAccess_flags Pool::access_of(int device) const {
  if (place.is_managed() || (place.is_device() && device == place.id))
    return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const auto set = access.find(device);
  return set == access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : set->second;
}

VirtualMemory& Driver::reservable() {
  if (virtual_memory == nullptr) {
    virtual_memory = std::make_unique<VirtualMemory>(devices.size());
    for (const auto& [handle, context] : contexts)
      context->arena.connect(virtual_memory->view(context->device));
  }
  return *virtual_memory;
}

Context* Driver::owner(std::uint64_t address) const {
  for (const auto& [handle, context] : contexts) {
    if (context->arena.contains(address)) return context.get();
  }
  return nullptr;
}

void Driver::destroy(Context* context) {
  flush_output(*context);
  report_leaks(*context);
  for (const auto& [handle, other] : contexts) {
    other->peers.erase(context);
    other->arena.forget(context->arena);
  }
  for (const auto& [handle, library] : libraries) library->modules.erase(context);
  for (const auto& [address, pool] : context->from_pool) {
    const Allocation* allocation = context->arena.find(address, 1);
    if (allocation != nullptr) pool->used -= allocation->bytes;
  }
  if (context == device(context->device).primary) device(context->device).primary = nullptr;
  close_memories(*context);
  // The context is erased last, because objects that are destroyed with it look it up.
  const auto gone = contexts.extract(reinterpret_cast<CUcontext>(context));
}

std::uint32_t worker_count(std::uint64_t workers) {
  if (workers == 0) workers = usable_processors();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(workers, 256));
}

const std::pair<const std::uint64_t, Context::HostRange>* Context::host_range_at(
    std::uint64_t address) const {
  const auto after = host.upper_bound(address);
  if (after == host.begin()) return nullptr;
  const auto found = std::prev(after);
  return address - found->first < found->second.bytes ? &*found : nullptr;
}

bool valid_stream(const Context& context, CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
         context.streams.contains(stream);
}

Stream* find_stream(Context& context, CUstream stream) {
  if (stream == CU_STREAM_PER_THREAD) return &context.per_thread_stream;
  return find_in(context.streams, stream);
}

}  // namespace warpmark::cpu
