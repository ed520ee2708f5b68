#include "driver/stream.hpp"

namespace warpmark {

void StreamTraits::release(const Context& context, Handle handle) noexcept {
  context.driver().release(context.table().stream_destroy, handle);
}

Stream::Stream(const std::shared_ptr<const Context>& context) {
  const ScopedContext current(*context);
  CUstream stream = nullptr;
  context->driver().call(
      context->table().stream_create, [&] { return context->identify(); }, &stream,
      static_cast<unsigned int>(CU_STREAM_NON_BLOCKING));
  context->driver().expect(stream, context->table().stream_create,
                           [&] { return context->identify(); });
  handle_ = UniqueHandle<StreamTraits>(context, stream);
}

void Stream::synchronize() const {
  const Context& owner = *context();
  const ScopedContext current(owner);
  owner.driver().call(
      owner.table().stream_synchronize, [&] { return "stream of " + owner.identify(); }, get());
}

void EventTraits::release(const Context& context, Handle handle) noexcept {
  context.driver().release(context.table().event_destroy, handle);
}

Event::Event(const std::shared_ptr<const Context>& context, unsigned int flags) {
  const ScopedContext current(*context);
  CUevent event = nullptr;
  context->driver().call(
      context->table().event_create, [&] { return context->identify(); }, &event, flags);
  context->driver().expect(event, context->table().event_create,
                           [&] { return context->identify(); });
  handle_ = UniqueHandle<EventTraits>(context, event);
}

void Event::record(const Stream& stream) const {
  const Context& owner = *handle_.context();
  const ScopedContext current(owner);
  owner.driver().call(
      owner.table().event_record, [&] { return "event of " + owner.identify(); }, get(),
      stream.get());
}

void Event::synchronize() const {
  const Context& owner = *handle_.context();
  const ScopedContext current(owner);
  owner.driver().call(
      owner.table().event_synchronize, [&] { return "event of " + owner.identify(); }, get());
}

std::optional<bool> Event::passed() const {
  const Context& owner = *handle_.context();
  if (!owner.table().event_query) return std::nullopt;
  const ScopedContext current(owner);
  const CUresult result = owner.table().event_query.pointer(get());
  if (result == CUDA_ERROR_NOT_READY) return false;
  if (result != CUDA_SUCCESS) {
    throw owner.driver().failure(result, owner.table().event_query.symbol,
                                 "event of " + owner.identify());
  }
  return true;
}

float Event::milliseconds_since(const Event& start) const {
  const Context& owner = *handle_.context();
  const ScopedContext current(owner);
  float milliseconds = 0;
  owner.driver().call(
      owner.table().event_elapsed_time, [&] { return "event of " + owner.identify(); },
      &milliseconds, start.get(), get());
  return milliseconds;
}

}  // namespace warpmark
