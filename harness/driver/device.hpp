// A device of a driver: its name, limits and capabilities.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/architecture.hpp"
#include "driver/driver.hpp"

namespace warpmark {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  /// As in sm_90.
  int architecture() const { return 10 * major + minor; }
};

/// A copyable name for a device; keeps its driver.
class Device {
 public:
  /// The device `index` of an initialised driver. Throws an environment error that says how many
  /// there are.
  Device(std::shared_ptr<const Driver> driver, int index);

  static int count(const Driver& driver);

  const std::shared_ptr<const Driver>& driver() const { return driver_; }
  CUdevice handle() const { return handle_; }
  int index() const { return index_; }
  bool has(Capability capability) const { return driver_->has(capability); }

  /// As the driver says it: "NVIDIA H200".
  const std::string& name() const { return name_; }
  /// "GPU-01234567-89ab-…"; "" if the driver does not say.
  std::string uuid() const;
  /// "0000:18:00.0"; "" if the driver does not say.
  std::string pci_bus_id() const;
  uint64_t total_memory() const;  ///< bytes
  int attribute(CUdevice_attribute attribute) const;
  /// Throws an environment error for numbers that are none.
  ComputeCapability compute_capability() const;
  /// The architecture that kernels are compiled for unless they say otherwise: with all that its
  /// compute capability has, as far as the device executes it.
  Architecture architecture() const;
  /// For error texts: "device 0 (NVIDIA H200)".
  std::string identify() const;

 private:
  std::shared_ptr<const Driver> driver_;
  int index_;
  CUdevice handle_ = 0;
  std::string name_;
};

}  // namespace warpmark
