#include "driver/ipc_memory.hpp"

#include <cstring>
#include <stdexcept>

#include "base/hex.hpp"
#include "base/text.hpp"

namespace warpmark {

IpcMemory::IpcMemory(const std::shared_ptr<const Context>& context, const std::string& handle,
                     size_t bytes) {
  std::string raw;
  try {
    raw = from_hex(handle);
  } catch (const std::invalid_argument&) {
  }
  CUipcMemHandle named{};
  if (raw.size() != sizeof named) throw internal_error("a handle of memory has other bytes");
  std::memcpy(&named, raw.data(), sizeof named);
  const ScopedContext current(*context);
  const auto object = [&] {
    return format_bytes(bytes) + " of another process, " + context->identify();
  };
  CUdeviceptr address = 0;
  context->driver().call(context->table().ipc_open_mem_handle, object, &address, named,
                         static_cast<unsigned int>(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  handle_ = {context, address};
  // A handle that outlived its block may name a smaller one.
  CUdeviceptr base = 0;
  size_t size = 0;
  context->driver().call(context->table().mem_get_address_range, object, &base, &size, address);
  if (base + size - address < bytes) {
    throw environment_error("the memory of another process is smaller than " + format_bytes(bytes));
  }
  memory_ = DeviceMemory::view(context, address, bytes, "copy of another process");
}

std::string IpcMemory::handle_of(const std::shared_ptr<const Context>& context,
                                 const DeviceMemory& memory) {
  const ScopedContext current(*context);
  CUipcMemHandle handle{};
  context->driver().call(
      context->table().ipc_get_mem_handle, [&] { return memory.identify(); }, &handle,
      memory.address());
  return to_hex({handle.reserved, sizeof handle.reserved});
}

}  // namespace warpmark
