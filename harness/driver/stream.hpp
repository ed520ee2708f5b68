// Streams and events.
#pragma once

#include <optional>
#include <string>

#include "driver/handle.hpp"

namespace warpmark {

/// A stream that does not wait for the default stream.
class Stream {
 public:
  explicit Stream(const std::shared_ptr<const Context>& context);
  CUstream get() const { return handle_.get(); }
  const std::shared_ptr<const Context>& context() const { return handle_.context(); }
  /// Waits for all work in the stream; a kernel's fault appears here as a sticky DriverError.
  void synchronize() const;

 private:
  UniqueHandle<&DriverTable::stream_destroy> handle_;
};

/// A point in a stream, with the device's time at which the stream passed it.
class Event {
 public:
  explicit Event(const std::shared_ptr<const Context>& context,
                 unsigned int flags = CU_EVENT_DEFAULT);
  CUevent get() const { return handle_.get(); }
  void record(const Stream& stream) const;
  /// True if the stream has passed the event, without waiting; nothing if the driver cannot tell.
  std::optional<bool> passed() const;
  /// Milliseconds from `start` to this event; both must have passed. Resolution is about 0.5 µs.
  float milliseconds_since(const Event& start) const;

 private:
  std::string identify() const;
  template <typename Function, typename... Arguments>
  void call(Function function, Arguments... arguments) const {
    handle_.context()->call(
        function, [this] { return identify(); }, arguments...);
  }

  UniqueHandle<&DriverTable::event_destroy> handle_;
};

}  // namespace warpmark
