// Every device of every driver that can be found, and why others cannot be used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program/argument_parser.hpp"
#include "driver/device.hpp"

namespace warpmark {

struct FoundDevice {
  std::string kind;  ///< what --device takes: "gpu", "cpu" or a driver library's NAME
  Device device;
  ComputeCapability compute_capability;
  Architecture architecture;  ///< kernels are compiled for it
  uint64_t memory_bytes = 0;
  std::string uuid;
};

struct FoundDriver {
  std::string kind;             ///< with a number, "gpu:1", if only that device cannot be used
  std::string file;             ///< "" if it could not be opened
  int version = 0;              ///< the CUDA version that it supports: 13000
  std::string failure, remedy;  ///< "" if it has devices
};

struct DeviceSurvey {
  std::vector<FoundDriver> drivers;  ///< gpu first, then the libraries by name
  std::vector<FoundDevice> devices;
};

/// Opens NVIDIA's driver and every driver library beside the program or in WARPMARK_PLUGIN_PATH;
/// the first folder with a name hides later ones. "cpu" is reported even if there is no such
/// library. Throws nothing for what does not work. A driver that does not answer within
/// `timeout_s` seconds counts as one that does not work, and keeps its thread.
DeviceSurvey survey_devices(double timeout_s);

/// "gpu:0", "gpu:1" …: what `--device all` stands for. Another process opens the driver, so that
/// this one has none. Throws NoDeviceError if there is no GPU.
std::vector<std::string> all_gpus();

/// Adds `--timeout-s`, for survey_devices, to a subcommand. Without it a driver gets as long as a
/// worker has to start: many GPUs take tens of seconds.
std::shared_ptr<double> add_survey_timeout(const ArgumentParser& command);

/// "9.0", "13.0": of a compute capability, and of a version as drivers give it.
std::string version_text(const ComputeCapability& capability);
std::string version_text(int cuda_version);
/// By the names that suites use in `requires`.
std::vector<std::string> capabilities(const Device& device);

}  // namespace warpmark
