// One case on several devices at a time: arrays are scattered from the first device and gathered
// there, by copies from device to device.
#pragma once

#include <memory>
#include <vector>

#include "driver/stream.hpp"
#include "worker/device_run.hpp"
#include "worker/prepared_device.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// The part of a run for each of several devices: equal parts of the partitioned buffers.
protocol::Run part_of(protocol::Run run, uint64_t devices);

/// Partitioned buffers of the run have an equal part on each device, and the whole on the first;
/// each device has a copy of the others.
class DeviceGroup {
 public:
  /// Allocates as DeviceRun does, and throws as it does.
  DeviceGroup(const std::vector<PreparedDevice>& devices, const protocol::Run& run);

  /// Gives every buffer its initial value, or the poison in each byte, and scatters.
  void restore(const std::vector<BufferMemory>& memory, uint8_t poison);
  /// Queues all steps on all devices, and waits for them.
  void run(bool& launched);
  /// Gathers, and copies results to the host; buffers that are not partitioned come from the first
  /// device.
  void fetch(std::vector<BufferMemory>& memory);

  void keep_initial();
  void put_back();

  const DeviceRun& first() const { return *runs_.front(); }

 private:
  void scatter();
  void synchronize() const;

  protocol::Run request_;
  std::vector<std::unique_ptr<DeviceRun>> runs_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<DeviceMemory> whole_;  ///< by buffer; without an address for buffers that are not
                                     ///< partitioned
};

}  // namespace warpmark
