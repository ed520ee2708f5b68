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

const DeviceMemory* InitialCopies::find(const InitialValue& value) const {
  const auto found = copies_.find(value.identity());
  return found == copies_.end() ? nullptr : &found->second.memory();
}

void InitialCopies::keep(const std::shared_ptr<const Context>& context, const DeviceMemory& buffer,
                         const InitialValue& value) {
  if (!spare_ || context->memory_info().free < *spare_ + buffer.bytes()) return;
  tried([&] {
    Copy copy{context, DeviceMemory(context, buffer.bytes(), "initial value"), {}};
    copy.own.copy_from(buffer);
    copies_.insert_or_assign(value.identity(), std::move(copy));
  });
}

void InitialCopies::open(const std::shared_ptr<const Context>& context, const std::string& handle,
                         const InitialValue& value) {
  tried([&] {
    Copy copy{context, {}, IpcMemory(context, handle, value.size())};
    copies_.insert_or_assign(value.identity(), std::move(copy));
  });
}

void InitialCopies::close_opened() {
  std::erase_if(copies_, [](const auto& one) { return static_cast<bool>(one.second.opened); });
}

std::string InitialCopies::shared(const InitialValue& value) const {
  const auto found = copies_.find(value.identity());
  std::string handle;
  if (found == copies_.end() || found->second.opened) return handle;
  tried([&] { handle = IpcMemory::handle_of(found->second.context, found->second.own); });
  return handle;
}

}  // namespace warpmark
