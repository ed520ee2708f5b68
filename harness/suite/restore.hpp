// The times in a bench at which buffers get their initial values back.
#pragma once

#include <cstdint>

#include "base/words.hpp"

namespace warpmark {

/// When `inout` buffers are restored between timed launches; `batch` is once for each batch of
/// launches.
enum class Restore : uint8_t { never, batch, each };
constexpr auto words(Restore) {
  return words_are("never", "batch", "each");
}

}  // namespace warpmark
