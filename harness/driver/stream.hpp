// Streams and events.
#pragma once

#include <optional>

#include "driver/handle.hpp"

namespace warpmark {

struct StreamTraits {
  using Handle = CUstream;
  static void release(const Context& context, Handle handle) noexcept;
};

/// A stream that does not wait for the default stream.
class Stream {
 public:
  explicit Stream(const std::shared_ptr<const Context>& context);
  CUstream get() const { return handle_.get(); }
  const std::shared_ptr<const Context>& context() const { return handle_.context(); }
  /// Waits for all work in the stream; a kernel's fault appears here as a sticky DriverError.
  void synchronize() const;

 private:
  UniqueHandle<StreamTraits> handle_;
};

struct EventTraits {
  using Handle = CUevent;
  static void release(const Context& context, Handle handle) noexcept;
};

/// A point in a stream, with the device's time at which the stream passed it.
class Event {
 public:
  explicit Event(const std::shared_ptr<const Context>& context,
                 unsigned int flags = CU_EVENT_DEFAULT);
  CUevent get() const { return handle_.get(); }
  void record(const Stream& stream) const;
  void synchronize() const;
  /// True if the stream has passed the event, without waiting; nothing if the driver cannot tell.
  std::optional<bool> passed() const;
  /// Milliseconds from `start` to this event; both must have passed. Resolution is about 0.5 µs.
  float milliseconds_since(const Event& start) const;

 private:
  UniqueHandle<EventTraits> handle_;
};

}  // namespace warpmark
