#include "driver/context.hpp"

#include <fmt/format.h>

namespace warpmark {

std::shared_ptr<Context> Context::create(const Device& device, unsigned int flags) {
  std::shared_ptr<Context> context(new Context(device));
  const DriverTable& table = context->table();
  context->driver().call(
      table.ctx_create, [&] { return device.identify(); }, &context->handle_, flags,
      device.handle());
  context->driver().expect(context->handle_, table.ctx_create, [&] { return device.identify(); });
  CUcontext popped = nullptr;  // cuCtxCreate leaves it current
  context->driver().call(
      table.ctx_pop_current, [&] { return context->identify(); }, &popped);
  return context;
}

Context::~Context() {
  if (handle_ != nullptr) driver().release(table().ctx_destroy, handle_);
}

void Context::synchronize() const {
  call(&DriverTable::ctx_synchronize, [this] { return identify(); });
}

MemoryInfo Context::memory_info() const {
  size_t free = 0;
  size_t total = 0;
  call(
      &DriverTable::mem_get_info, [this] { return identify(); }, &free, &total);
  return {free, total};
}

void Context::set_limit(CUlimit limit, size_t value) const {
  const ScopedContext current(*this);
  driver().call(
      table().ctx_set_limit,
      [&] { return fmt::format("limit {} = {}, {}", static_cast<int>(limit), value, identify()); },
      limit, value);
}

void Context::reset_persisting_cache() const {
  if (!table().ctx_reset_persisting_l2) return;
  const ScopedContext current(*this);
  const CUresult result = table().ctx_reset_persisting_l2.pointer();
  // Older devices have no such lines.
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_SUPPORTED) return;
  throw driver().failure(result, table().ctx_reset_persisting_l2.symbol, identify());
}

std::string Context::identify() const {
  return fmt::format("context {} on {}", static_cast<const void*>(handle_), device_.identify());
}

bool Context::push_for_release() const noexcept {
  CUcontext current = nullptr;
  if (table().ctx_get_current.pointer(&current) == CUDA_SUCCESS && current == handle_) return false;
  return table().ctx_push_current.pointer(handle_) == CUDA_SUCCESS;
}

void Context::pop_for_release() const noexcept {
  CUcontext popped = nullptr;
  driver().release(table().ctx_pop_current, &popped);
}

ScopedContext::ScopedContext(const Context& context) : context_(context) {
  const auto object = [&] { return context.identify(); };
  CUcontext current = nullptr;
  context.driver().call(context.table().ctx_get_current, object, &current);
  if (current == context.handle()) return;
  context.driver().call(context.table().ctx_push_current, object, context.handle());
  pushed_ = true;
}

ScopedContext::~ScopedContext() {
  CUcontext popped = nullptr;
  if (pushed_) context_.driver().release(context_.table().ctx_pop_current, &popped);
}

}  // namespace warpmark
