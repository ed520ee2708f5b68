// Choosing a device by name: where driver libraries are found, and why one was taken.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "driver/device.hpp"

namespace warpmark {

struct DeviceChoice {
  Device device;
  std::string kind;    ///< "gpu", "cpu", or the driver library's NAME
  std::string reason;  ///< "no GPU: …; using the CPU device"; "" if nothing had to be chosen
};

/// There is no such device here: an environment error that callers can tell from others.
class NoDeviceError : public Error {
 public:
  explicit NoDeviceError(const Error& reason) : Error(reason) {}
};

/// How drivers are opened; tests replace it.
struct DriverOpeners {
  std::function<std::shared_ptr<Driver>()> gpu;
  std::function<std::shared_ptr<Driver>(const std::string& name)> library;

  /// Driver::open_gpu and open_driver_library.
  static DriverOpeners standard();
};

/// The device for a request: "auto", "gpu", "cpu" or the NAME of a libwarpmark_NAME.so, each with
/// an optional number as in "gpu:1". "auto" takes a GPU if the driver opens, starts and has a
/// device, else the CPU device, and says why. Throws an environment error if what was asked for is
/// not there, a usage error if the request cannot be read.
DeviceChoice choose_device(std::string_view request,
                           const DriverOpeners& openers = DriverOpeners::standard());

/// "libwarpmark_NAME.so".
std::string driver_library_file(const std::string& name);
/// Opens libwarpmark_NAME.so from the first folder of library_search_path() that has it.
/// Throws an environment error that lists where it looked.
std::shared_ptr<Driver> open_driver_library(const std::string& name);

/// Throws an environment error that names both versions and the fix if cubins of this NVRTC cannot
/// run on the device's driver. CUDA runs cubins on any driver of the same major version ("minor
/// version compatibility"), so only a newer major version is refused. A device that takes PTX takes
/// any.
void check_compiler_fits(const Device& device, int nvrtc_major, int nvrtc_minor);

}  // namespace warpmark
