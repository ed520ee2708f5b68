#include "worker/device_group.hpp"

namespace warpmark {

protocol::Run part_of(protocol::Run run, uint64_t devices) {
  for (protocol::BufferBytes& buffer : run.buffers) {
    if (buffer.partition) buffer.bytes /= devices;
  }
  return run;
}

DeviceGroup::DeviceGroup(const std::vector<PreparedDevice>& devices, const protocol::Run& run)
    : request_(run) {
  const protocol::Run part = part_of(run, devices.size());
  for (const PreparedDevice& device : devices) {
    runs_.push_back(
        std::make_unique<DeviceRun>(device.context, device.kernels, device.main_module, part));
    streams_.push_back(std::make_unique<Stream>(device.context));
  }
  for (const protocol::BufferBytes& buffer : run.buffers) {
    whole_.push_back(buffer.partition ? DeviceMemory(devices.front().context, buffer.bytes,
                                                     "all of " + buffer.name)
                                      : DeviceMemory());
  }
}

void DeviceGroup::restore(const std::vector<BufferMemory>& memory, uint8_t poison) {
  for (const auto& run : runs_) run->restore(memory, poison);
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    const bool has_value = request_.buffers[i].partition && memory[i].initial;
    if (has_value && request_.buffers[i].bytes > 0) {
      whole_[i].upload(memory[i].initial->bytes().first(request_.buffers[i].bytes));
    }
  }
  scatter();
}

void DeviceGroup::scatter() {
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    const protocol::BufferBytes& buffer = request_.buffers[i];
    if (!buffer.partition || !buffer.has_initial) continue;
    const uint64_t bytes = buffer.bytes / runs_.size();
    for (size_t device = 0; device < runs_.size(); ++device) {
      runs_[device]->buffer(buffer.name).copy_part(0, whole_[i], device * bytes, bytes);
    }
  }
}

void DeviceGroup::run(bool& launched) {
  for (size_t device = 0; device < runs_.size(); ++device) {
    runs_[device]->queue(*streams_[device], launched);
  }
  synchronize();
}

void DeviceGroup::synchronize() const {
  for (const auto& stream : streams_) stream->synchronize();
}

void DeviceGroup::fetch(std::vector<BufferMemory>& memory) {
  runs_.front()->fetch(memory);
  for (size_t i = 0; i < request_.buffers.size(); ++i) {
    const protocol::BufferBytes& buffer = request_.buffers[i];
    if (!buffer.partition || buffer.bytes == 0 || !memory[i].result) continue;
    const uint64_t bytes = buffer.bytes / runs_.size();
    const std::string& holder = buffer.holder.empty() ? buffer.name : buffer.holder;
    for (size_t device = 0; device < runs_.size(); ++device) {
      whole_[i].copy_part(device * bytes, runs_[device]->buffer(holder), 0, bytes);
    }
    whole_[i].download(memory[i].result->bytes().first(buffer.bytes));
  }
}

void DeviceGroup::keep_initial() {
  for (const auto& run : runs_) run->keep_initial();
}

void DeviceGroup::put_back() {
  for (size_t device = 0; device < runs_.size(); ++device) {
    runs_[device]->queue_restore(*streams_[device]);
  }
  synchronize();
}

}  // namespace warpmark
