#include "worker/device_facts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "driver/choose.hpp"

namespace warpmark {

namespace {

// The names that arithmetic knows as `device.NAME`.
std::map<std::string, int64_t> attributes_of(const Device& device) {
  const std::pair<const char*, CUdevice_attribute> named[] = {
      {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {"max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {"max_threads_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {"max_blocks_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
      {"max_registers_per_block", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {"max_shared_bytes_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {"max_shared_bytes_per_block_optin", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {"max_shared_bytes_per_multiprocessor",
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
      {"l2_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
  };
  std::map<std::string, int64_t> values;
  for (const auto& [name, attribute] : named) values[name] = device.attribute(attribute);
  values["memory_bytes"] = static_cast<int64_t>(device.total_memory());
  values["compute_capability"] = device.compute_capability().architecture();
  return values;
}

}  // namespace

DeviceFacts facts_of(const DeviceChoice& choice) {
  const Device& device = choice.device;
  DeviceFacts facts;
  facts.kind = choice.kind;
  facts.name = device.name();
  facts.reason = choice.reason;
  facts.uuid = device.uuid();
  facts.architecture = device.compute_capability().architecture();
  facts.target = device.architecture().name();
  facts.driver_version = device.driver()->version();
  facts.driver = device.driver()->path();
  for (const Capability capability : all_capabilities()) {
    if (device.has(capability)) facts.capabilities.emplace_back(capability_name(capability));
  }
  facts.attributes = attributes_of(device);
  const int count = Device::count(*device.driver());
  if (count <= device.index()) {
    throw environment_error(fmt::format("{} counts {} devices, and number {} is one of them",
                                        facts.driver, count, device.index()));
  }
  facts.attributes["count"] = count;
  return facts;
}

bool DeviceFacts::has(std::string_view capability) const {
  return std::ranges::find(capabilities, capability) != capabilities.end();
}

}  // namespace warpmark
