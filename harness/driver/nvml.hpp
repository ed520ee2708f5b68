// NVML, the library behind nvidia-smi, as far as a benchmark needs it: clocks, power, throttling.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmark {

/// The state of a device at one moment, from NVML; values that NVML does not know are absent.
struct DeviceState {
  std::optional<int64_t> sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz;
  std::optional<int64_t> temperature_c;
  std::optional<double> power_w;
  std::optional<bool> ecc, mig;
  /// "sw_power_cap", "hw_thermal_slowdown" …; an idle device is no reason.
  std::vector<std::string> throttle_reasons;
  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

/// Reads only: it changes no clock and no other setting.
class Nvml {
 public:
  /// The library that WARPMARK_NVML names, else libnvidia-ml.so.1; null if there is none or it
  /// cannot be used, with the reason in `why` if that is given. Nothing is thrown, since no result
  /// depends on NVML.
  static std::shared_ptr<const Nvml> open(std::string* why = nullptr);
  virtual ~Nvml() = default;

  /// The device with this PCI bus id ("0000:18:00.0", as cuDeviceGetPCIBusId gives it). All values
  /// are absent for a device that NVML does not know.
  virtual DeviceState state(const std::string& pci_bus_id) const noexcept = 0;
  /// The library's file, for `doctor`; empty for a fake.
  virtual std::string path() const { return {}; }

 protected:
  Nvml() = default;
};

}  // namespace warpmark
