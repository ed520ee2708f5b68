// The driver's one instance, its lock, and the rules of current contexts.
#include "api/state.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "ptx/error.hpp"

namespace warpmark::cpu {

Driver& driver() {
  static Driver* const instance = [] {
    auto* made = new Driver;
    const char* wish = std::getenv("WARPMARK_CPU_WORKERS");
    if (wish != nullptr && *wish >= '0' && *wish <= '9')
      made->default_limits.workers = worker_count(std::strtoull(wish, nullptr, 10));
    return made;
  }();
  return *instance;
}

std::vector<CUcontext>& context_stack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

std::string& last_error() {
  thread_local std::string text;
  return text;
}

CUresult fail(CUresult result, std::string message) {
  last_error() = std::move(message);
  return result;
}

CUresult enter(const char* name, CUresult (*body)(void*), void* closure) {
  try {
    last_error().clear();
    const std::lock_guard lock(driver().mutex);
    return body(closure);
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    last_error() = std::string(name) + ": " + error.what();
    return CUDA_ERROR_UNKNOWN;
  }
}

CUresult current_context(Waits waits, Context*& context) {
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty() || stack.back() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  context = driver().find(stack.back());
  if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (waits == Waits::yes) flush_output(*context);
  if (waits == Waits::yes && context->sticky == CUDA_SUCCESS) context->sticky = context->pending;
  return context->sticky;
}

Context* Driver::create(unsigned int flags) {
  auto context = std::make_unique<Context>();
  context->flags = flags;
  context->launch_limits = default_limits;
  Context* made = context.get();
  contexts.emplace(reinterpret_cast<CUcontext>(made), std::move(context));
  return made;
}

void Driver::destroy(Context* context) {
  flush_output(*context);
  for (const auto& [address, range] : context->host) {
    if (range.owned) ::operator delete (reinterpret_cast<void*>(address), std::align_val_t{4096});
  }
  if (context == primary) primary = nullptr;
  contexts.erase(reinterpret_cast<CUcontext>(context));
}

std::uint32_t worker_count(std::uint64_t workers) {
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(workers, 256));
}

bool valid_stream(const Context& context, CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
         context.streams.contains(stream);
}

}  // namespace warpmark::cpu
