// NVML by dlopen: each value is asked for on its own, and one that cannot be had is absent.
#include "driver/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/loader.hpp"
#include "base/places.hpp"

namespace warpmark {
namespace {

using NvmlDevice = struct nvmlDevice_st*;

template <typename... Parameters>
using NvmlFunction = int (*)(Parameters...);

struct NvmlTable {
#define NVML_FUNCTION(member, symbol, ...) NvmlFunction<__VA_ARGS__> member = nullptr;
#include "driver/nvml_functions.def"
#undef NVML_FUNCTION
};

// nvmlClockType_t, nvmlTemperatureSensors_t.
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;

struct Reason {
  unsigned long long bit;
  std::string_view name;
};
// nvmlClocksEventReasons. Bit 0, an idle GPU, is left out: its clocks are low for want of work.
constexpr unsigned long long kIdle = 1;
constexpr std::array kReasons = {Reason{0x2, "applications_clocks_setting"},
                                 Reason{0x4, "sw_power_cap"},
                                 Reason{0x8, "hw_slowdown"},
                                 Reason{0x10, "sync_boost"},
                                 Reason{0x20, "sw_thermal_slowdown"},
                                 Reason{0x40, "hw_thermal_slowdown"},
                                 Reason{0x80, "hw_power_brake_slowdown"},
                                 Reason{0x100, "display_clock_setting"}};

std::vector<std::string> names_of(unsigned long long reasons) {
  std::vector<std::string> names;
  reasons &= ~kIdle;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) names.emplace_back(reason.name);
    reasons &= ~reason.bit;
  }
  if (reasons != 0) names.push_back(fmt::format("{:#x}", reasons));  // of a newer NVML
  return names;
}

/// Calls a function whose last parameter takes one number; nothing if it is absent or fails.
template <typename Value, typename... Parameters, typename... Arguments>
std::optional<Value> ask(NvmlFunction<Parameters...> function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
  return value;
}
/// The same for settings that have a second value, which holds after the next reset.
template <typename Value, typename... Parameters>
std::optional<bool> ask_setting(NvmlFunction<Parameters...> function, NvmlDevice device) {
  Value current{}, pending{};
  if (function == nullptr || function(device, &current, &pending) != 0) return std::nullopt;
  return current != 0;
}

class Library final : public Nvml {
 public:
  Library(const NvmlTable& table, std::string path) : table_(table), path_(std::move(path)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() override { table_.shutdown(); }  // what it says changes nothing any more

  std::string path() const override { return path_; }

  DeviceState state(const std::string& pci_bus_id) const noexcept override {
    DeviceState state;
    try {
      read(pci_bus_id, state);
    } catch (...) {
      // Out of memory for a name: what was read until then is true.
    }
    return state;
  }

 private:
  void read(const std::string& pci_bus_id, DeviceState& state) const {
    const auto device = ask<NvmlDevice>(table_.handle_by_pci_bus_id, pci_bus_id.c_str());
    if (!device || *device == nullptr) return;
    state.sm_clock_mhz = ask<unsigned int>(table_.clock_info, *device, kSmClock);
    state.memory_clock_mhz = ask<unsigned int>(table_.clock_info, *device, kMemoryClock);
    state.max_sm_clock_mhz = ask<unsigned int>(table_.max_clock_info, *device, kSmClock);
    state.temperature_c = ask<unsigned int>(table_.temperature, *device, kGpuSensor);
    if (const auto milliwatts = ask<unsigned int>(table_.power_usage, *device))
      state.power_w = *milliwatts / 1e3;
    state.ecc = ask_setting<int>(table_.ecc_mode, *device);
    state.mig = ask_setting<unsigned int>(table_.mig_mode, *device);
    auto reasons = ask<unsigned long long>(table_.clocks_event_reasons, *device);
    if (!reasons) reasons = ask<unsigned long long>(table_.clocks_throttle_reasons, *device);
    if (reasons) state.throttle_reasons = names_of(*reasons);
  }

  NvmlTable table_;
  std::string path_;
};

std::string error_text(void* library, int result) {
  const auto describe = reinterpret_cast<const char* (*)(int)>(dlsym(library, "nvmlErrorString"));
  const char* text = describe != nullptr ? describe(result) : nullptr;
  return text != nullptr ? fmt::format("{} ({})", text, result) : fmt::format("error {}", result);
}

std::shared_ptr<const Nvml> open_library(const std::string& name, std::string& why) {
  dlerror();
  // Never closed, like drivers: a library may have left threads or exit handlers behind.
  void* library = dlopen(loadable(name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = fmt::format("cannot open {}: {}", name, loader_error());
    return nullptr;
  }
  NvmlTable table;
#define NVML_FUNCTION(member, symbol, ...) \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, symbol));
#include "driver/nvml_functions.def"
#undef NVML_FUNCTION
  if (table.init == nullptr || table.shutdown == nullptr || table.handle_by_pci_bus_id == nullptr) {
    why = fmt::format(
        "{} is no usable NVML: it lacks nvmlInit_v2, nvmlShutdown or "
        "nvmlDeviceGetHandleByPciBusId_v2",
        name);
    return nullptr;
  }
  if (const int result = table.init(); result != 0) {
    why = fmt::format("{}: nvmlInit_v2 failed: {}", name, error_text(library, result));
    return nullptr;
  }
  link_map* map = nullptr;
  const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  return std::make_shared<Library>(table, known ? map->l_name : name);
}

}  // namespace

std::shared_ptr<const Nvml> Nvml::open(std::string* why) {
  const char* named = std::getenv("WARPMARK_NVML");
  std::string reason;
  auto nvml =
      open_library(named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1", reason);
  if (why != nullptr) *why = std::move(reason);
  return nvml;
}

}  // namespace warpmark
