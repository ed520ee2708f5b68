// A worker's facts about its device, driver and compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

struct DeviceChoice;

/// The facts that the worker found, as plain data.
struct DeviceFacts {
  std::string kind;    ///< "gpu", "cpu" or the driver library's NAME
  std::string name;    ///< "NVIDIA H200"
  std::string reason;  ///< why it was chosen; "" if it was asked for by name
  std::string uuid;
  int architecture = 0;    ///< 90 for compute capability 9.0
  std::string target;      ///< what kernels are compiled for unless they say otherwise: "sm_90a"
  int driver_version = 0;  ///< as from cuDriverGetVersion: 13000
  std::string driver;      ///< the library's file
  std::string nvrtc_version;
  std::string nvrtc;  ///< the library's file
  std::vector<std::string> capabilities;
  std::map<std::string, int64_t> attributes;  ///< by device_attributes() name
  /// Mechanisms that hold in both workers: "seccomp", "landlock abi 7" …
  std::vector<std::string> sandbox;
  /// True if the device has the capability of that name, one of capability_names().
  bool has(std::string_view capability) const;
};

/// The facts of a device; of the compiler there are none yet. Throws an environment error if the
/// driver counts fewer devices than it gave.
DeviceFacts facts_of(const DeviceChoice& choice);

}  // namespace warpmark
