// A value of each thread that stays usable while the process ends.
#pragma once

#include <utility>

namespace warpmark {

/// The thread's own T: made at the first use, and destroyed with the thread. What runs after a
/// thread's destructors, as functions of atexit do in the main thread, gets a new one that is never
/// destroyed. A `thread_local` object would be used there after its end. `Tag` tells two of one type
/// apart.
template <typename T, typename Tag = T>
T& per_thread() {
  // Without destructors, these two can be read at any time.
  static thread_local T* value = nullptr;
  static thread_local bool ended = false;
  struct Owner {
    ~Owner() {
      delete std::exchange(value, nullptr);
      ended = true;
    }
  };
  if (value == nullptr) {
    value = new T();
    if (!ended) {
      static thread_local Owner owner;
      (void)owner;
    }
  }
  return *value;
}

}  // namespace warpmark
