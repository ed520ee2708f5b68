#include "driver/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"

namespace warpmark {

namespace {

struct CapabilityName {
  Capability capability;
  std::string_view name;
};

constexpr std::array kCapabilities{
    CapabilityName{Capability::image_ptx, "image_ptx"},
    CapabilityName{Capability::exact_bounds, "exact_bounds"},
    CapabilityName{Capability::reports, "reports"},
    CapabilityName{Capability::counters, "counters"},
    CapabilityName{Capability::deterministic, "deterministic"},
    CapabilityName{Capability::checks, "checks"},
    CapabilityName{Capability::profile, "profile"},
    CapabilityName{Capability::baseline_features, "baseline_features"},
    CapabilityName{Capability::debugger, "debugger"},
};

// Copies the part of the library's struct that both sides know, so that no later code reads past
// it.
warpmark_device known_part(const warpmark_device* extension, const std::string& library) {
  warpmark_device known{};
  if (extension == nullptr) return known;
  if (extension->version != WARPMARK_DEVICE_VERSION) {
    throw environment_error(
        fmt::format("{} speaks version {} of the device interface; this Warpmark speaks version {}",
                    library, extension->version, WARPMARK_DEVICE_VERSION),
        "use the library that was built with this Warpmark");
  }
  std::memcpy(&known, extension, std::min<size_t>(extension->size, sizeof(known)));
  return known;
}

void forward_line(void* user, const char* json, size_t length) {
  const auto& sink = *static_cast<const std::function<void(std::string_view)>*>(user);
  sink(std::string_view(json, length));
}

}  // namespace

std::optional<Capability> find_capability(std::string_view name) {
  for (const CapabilityName& entry : kCapabilities) {
    if (entry.name == name) return entry.capability;
  }
  return std::nullopt;
}

std::string_view capability_name(Capability capability) {
  for (const CapabilityName& entry : kCapabilities) {
    if (entry.capability == capability) return entry.name;
  }
  return "unknown";
}

std::vector<Capability> all_capabilities() {
  std::vector<Capability> all;
  for (const CapabilityName& entry : kCapabilities) all.push_back(entry.capability);
  return all;
}

DriverError::DriverError(CUresult result, std::string message, std::string hint)
    : Error(is_sticky(result) ? ExitCode::verdict : ExitCode::environment, std::move(message), {},
            std::move(hint)),
      result_(result) {}

bool DriverError::is_sticky(CUresult result) {
  // The driver's reference says of these codes that the process must be ended to go on.
  constexpr std::array kSticky = {CUDA_ERROR_ECC_UNCORRECTABLE,    CUDA_ERROR_ILLEGAL_ADDRESS,
                                  CUDA_ERROR_LAUNCH_TIMEOUT,       CUDA_ERROR_ASSERT,
                                  CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                  CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                  CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED,
                                  CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_UNKNOWN};
  return std::ranges::count(kSticky, result) != 0;
}

Driver::Driver(const DriverTable& table, std::string name, const warpmark_device* extension)
    : table_(table), name_(std::move(name)), extension_(known_part(extension, name_)) {}

std::shared_ptr<Driver> Driver::from_table(const DriverTable& table, std::string name,
                                           const warpmark_device* extension) {
  return std::shared_ptr<Driver>(new Driver(table, std::move(name), extension));
}

bool Driver::has(Capability capability) const {
  return (extension_.capabilities & static_cast<uint32_t>(capability)) != 0;
}

void Driver::init() {
  call(
      table_.init, [this] { return name_; }, 0U);
}

int Driver::version() const {
  int version = 0;
  call(
      table_.driver_get_version, [this] { return name_; }, &version);
  return version;
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (table_.get_error_name) table_.get_error_name.pointer(result, &name);
  if (table_.get_error_string) table_.get_error_string.pointer(result, &text);
  std::string out = fmt::format("{} ({})", name != nullptr ? name : "unknown CUDA error",
                                static_cast<int>(result));
  if (text != nullptr) out += fmt::format(": {}", text);
  return out;
}

DriverError Driver::failure(CUresult result, const char* symbol, const std::string& object,
                            const std::string& detail) const {
  std::string message =
      fmt::format("{} failed with {} ({})", documented_name(symbol), describe(result), object);
  // The library's own words say more than the code does, but a fault's reports say more still.
  const std::string reason = detail.empty() ? last_error() : detail;
  if (!reason.empty()) message += "\n" + printable(reason);
  std::string hint;
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    hint = "the compiler and the driver do not fit; `warpmark doctor` shows both versions";
  } else if (result == CUDA_ERROR_OUT_OF_MEMORY && reason.empty()) {
    hint = "other programs may hold memory of this device";
  }
  return {result, std::move(message), std::move(hint)};
}

Error Driver::no_handle(const char* symbol, const std::string& object) const {
  return environment_error(fmt::format("{} of {} succeeded and gave nothing ({})",
                                       documented_name(symbol), name_, object),
                           "the driver is broken, or not the one of this machine");
}

void Driver::require(bool present, const char* symbol, const char* needed_for) const {
  if (present) return;
  throw environment_error(
      fmt::format("the driver {} lacks {} (needed for {})", name_, symbol, needed_for),
      "a newer driver may have it");
}

void Driver::warn_release(CUresult result, const char* symbol) const noexcept {
  // After a fault every release fails with it, and the fault itself has been reported.
  if (warned_ || DriverError::is_sticky(result)) return;
  warned_ = true;
  try {
    const std::string text = fmt::format("warning: {} failed with {} while cleaning up on {}",
                                         documented_name(symbol), describe(result), name_);
    if (sink_) {
      sink_(text);
    } else {
      std::fprintf(stderr, "%s\n", text.c_str());
    }
  } catch (...) {
    // Out of memory while making a warning: the warning is worth less than the program.
  }
}

void Driver::configure(CUcontext context, const std::string& json) const {
  if (extension_.configure == nullptr) {
    throw environment_error(fmt::format("the driver {} has no options to set", name_));
  }
  if (extension_.configure(context, json.c_str()) == 0) return;
  throw environment_error(fmt::format("{} refused the options {}: {}", name_, json, last_error()));
}

void Driver::label(CUcontext context, CUdeviceptr address, uint64_t bytes, const std::string& name,
                   const std::string& dtype) const {
  if (extension_.label == nullptr) return;
  if (extension_.label(context, address, bytes, name.c_str(), dtype.c_str()) == 0) return;
  throw internal_error(fmt::format("{} refused the label `{}`: {}", name_, name, last_error()));
}

void Driver::elements(CUcontext context, CUdeviceptr address, uint64_t bytes) const {
  if (extension_.elements == nullptr || extension_.elements(context, address, bytes) == 0) return;
  throw internal_error(fmt::format("{} refused the size of elements: {}", name_, last_error()));
}

void Driver::rows(CUcontext context, CUdeviceptr address, uint64_t row, uint64_t pitch) const {
  if (extension_.rows == nullptr || extension_.rows(context, address, row, pitch) == 0) return;
  throw internal_error(fmt::format("{} refused the rows of an array: {}", name_, last_error()));
}

bool Driver::can_protect() const {
  return extension_.protect != nullptr;
}

void Driver::protect(CUcontext context, CUdeviceptr address, uint64_t bytes) const {
  if (extension_.protect(context, address, bytes, 1) == 0) return;
  throw internal_error(fmt::format("{} refused to protect memory: {}", name_, last_error()));
}

void Driver::forget(CUcontext context, CUdeviceptr address, uint64_t bytes) const {
  if (extension_.forget == nullptr || extension_.forget(context, address, bytes) == 0) return;
  throw internal_error(fmt::format("{} refused to forget memory: {}", name_, last_error()));
}

int header_cuda_version() {
  return CUDA_VERSION;
}

void Driver::drain_reports(CUcontext context,
                           const std::function<void(std::string_view)>& sink) const {
  if (extension_.drain_reports == nullptr) return;
  extension_.drain_reports(context, &forward_line,
                           const_cast<std::function<void(std::string_view)>*>(&sink));
}

void Driver::drain_counters(CUcontext context,
                            const std::function<void(std::string_view)>& sink) const {
  if (extension_.drain_counters == nullptr) return;
  extension_.drain_counters(context, &forward_line,
                            const_cast<std::function<void(std::string_view)>*>(&sink));
}

void Driver::list_symbols(const std::function<void(std::string_view)>& sink) const {
  if (extension_.list_symbols == nullptr) return;
  extension_.list_symbols(&forward_line, const_cast<std::function<void(std::string_view)>*>(&sink));
}

const warpmark_debug_view& Driver::debug(warpmark_debugger* debugger) const {
  const warpmark_debug_view* view =
      extension_.debug == nullptr ? nullptr : extension_.debug(debugger);
  if (view == nullptr || view->size < sizeof(warpmark_debug_view)) {
    throw environment_error(fmt::format("{} cannot stop a launch to look at it", name_),
                            "the CPU device can: --device cpu");
  }
  return *view;
}

std::string Driver::last_error() const {
  const char* text = extension_.last_error != nullptr ? extension_.last_error() : nullptr;
  return text != nullptr ? text : "";
}

}  // namespace warpmark
