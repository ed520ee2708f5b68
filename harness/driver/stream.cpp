#include "driver/stream.hpp"

namespace warpmark {

Stream::Stream(const std::shared_ptr<const Context>& context) {
  const ScopedContext current(*context);
  CUstream stream = nullptr;
  context->driver().call(
      context->table().stream_create, [&] { return context->identify(); }, &stream,
      static_cast<unsigned int>(CU_STREAM_NON_BLOCKING));
  context->driver().expect(stream, context->table().stream_create,
                           [&] { return context->identify(); });
  handle_ = {context, stream};
}

void Stream::synchronize() const {
  context()->call(
      &DriverTable::stream_synchronize, [&] { return "stream of " + context()->identify(); },
      get());
}

Event::Event(const std::shared_ptr<const Context>& context, unsigned int flags) {
  const ScopedContext current(*context);
  CUevent event = nullptr;
  context->driver().call(
      context->table().event_create, [&] { return context->identify(); }, &event, flags);
  context->driver().expect(event, context->table().event_create,
                           [&] { return context->identify(); });
  handle_ = {context, event};
}

void Event::record(const Stream& stream) const {
  call(&DriverTable::event_record, get(), stream.get());
}

std::optional<bool> Event::passed() const {
  const Context& owner = *handle_.context();
  if (!owner.table().event_query) return std::nullopt;
  const ScopedContext current(owner);
  const CUresult result = owner.table().event_query.pointer(get());
  if (result == CUDA_ERROR_NOT_READY) return false;
  if (result != CUDA_SUCCESS)
    throw owner.driver().failure(result, owner.table().event_query.symbol, identify());
  return true;
}

float Event::milliseconds_since(const Event& start) const {
  float milliseconds = 0;
  call(&DriverTable::event_elapsed_time, &milliseconds, start.get(), get());
  return milliseconds;
}

std::string Event::identify() const {
  return "event of " + handle_.context()->identify();
}

}  // namespace warpmark
