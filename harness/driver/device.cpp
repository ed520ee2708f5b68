#include "driver/device.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace warpmark {

int Device::count(const Driver& driver) {
  int count = 0;
  driver.call(
      driver.table().device_get_count, [&] { return driver.name(); }, &count);
  return count;
}

Device::Device(std::shared_ptr<const Driver> driver, int index)
    : driver_(std::move(driver)), index_(index) {
  const int present = count(*driver_);
  if (index < 0 || index >= present) {
    throw environment_error(fmt::format("there is no device {}: {} has {} device{}, counted from 0",
                                        index, driver_->name(), present, present == 1 ? "" : "s"));
  }
  const auto object = [this] { return identify(); };
  driver_->call(driver_->table().device_get, object, &handle_, index);
  std::array<char, 256> text{};
  driver_->call(driver_->table().device_get_name, object, text.data(),
                static_cast<int>(text.size() - 1), handle_);
  name_ = printable(text.data());
}

std::string Device::pci_bus_id() const {
  char text[32] = "";
  const auto& function = driver_->table().device_get_pci_bus_id;
  if (!function) return {};
  driver_->call(
      function, [this] { return identify(); }, text, static_cast<int>(sizeof text), handle_);
  text[sizeof text - 1] = '\0';
  return text;
}

std::string Device::uuid() const {
  CUuuid id{};
  const auto& function = driver_->table().device_get_uuid;
  if (!function) return {};
  driver_->call(
      function, [this] { return identify(); }, &id, handle_);
  std::string out = "GPU-";
  for (size_t i = 0; i < sizeof(id.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned char>(id.bytes[i]));
  }
  return out;
}

uint64_t Device::total_memory() const {
  size_t bytes = 0;
  driver_->call(
      driver_->table().device_total_mem, [this] { return identify(); }, &bytes, handle_);
  return bytes;
}

int Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  driver_->call(
      driver_->table().device_get_attribute,
      [&] { return fmt::format("attribute {} of {}", static_cast<int>(attribute), identify()); },
      &value, attribute, handle_);
  return value;
}

ComputeCapability Device::compute_capability() const {
  const ComputeCapability capability{attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                     attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
  const auto is_number = [](int number) { return number >= 0 && number < 1000; };
  if (is_number(capability.major) && is_number(capability.minor)) return capability;
  throw environment_error(fmt::format("{} says that its compute capability is {}.{}", identify(),
                                      capability.major, capability.minor),
                          "the driver is broken, or not the one of this machine");
}

Architecture Device::architecture() const {
  const int number = compute_capability().architecture();
  if (has(Capability::baseline_features)) return number;
  return Architecture::with_own_features(number);
}

std::string Device::identify() const {
  return name_.empty() ? fmt::format("device {}", index_)
                       : fmt::format("device {} ({})", index_, name_);
}

}  // namespace warpmark
