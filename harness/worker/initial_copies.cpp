#include "worker/initial_copies.hpp"

#include "base/error.hpp"
#include "driver/driver.hpp"

namespace warpmark {

namespace {

// Does what only makes runs start sooner; returns false if the driver cannot.
template <typename Act>
bool tried(const Act& act) {
  try {
    act();
    return true;
  } catch (const DriverError& error) {
    if (error.sticky()) throw;
    return false;
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    return false;  // a driver without the function
  }
}

}  // namespace

const DeviceMemory* InitialCopies::find(const SharedMemory& memory) const {
  const auto found = copies_.find(memory.identity());
  return found == copies_.end() ? nullptr : &found->second.memory();
}

void InitialCopies::keep(const std::shared_ptr<const Context>& context, const DeviceMemory& buffer,
                         const SharedMemory& memory) {
  if (!spare_ || context->memory_info().free < *spare_ + buffer.bytes()) return;
  tried([&] {
    Copy copy{context, DeviceMemory(context, buffer.bytes(), "initial value"), {}};
    copy.own.copy_from(buffer);
    copies_.insert_or_assign(memory.identity(), std::move(copy));
  });
}

void InitialCopies::open(const std::shared_ptr<const Context>& context, const std::string& handle,
                         const SharedMemory& memory) {
  tried([&] {
    Copy copy{context, {}, IpcMemory(context, handle, memory.size())};
    copies_.insert_or_assign(memory.identity(), std::move(copy));
  });
}

void InitialCopies::close_opened() {
  std::erase_if(copies_, [](const auto& one) { return static_cast<bool>(one.second.opened); });
}

std::string InitialCopies::shared(const SharedMemory& memory) const {
  const auto found = copies_.find(memory.identity());
  std::string handle;
  if (found == copies_.end() || found->second.opened) return handle;
  tried([&] { handle = IpcMemory::handle_of(found->second.context, found->second.own); });
  return handle;
}

}  // namespace warpmark
