// When buffers get back what they began with, in a bench.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmark {

/// What puts `inout` buffers back between timed launches; `batch` is once for each batch of them.
enum class Restore : uint8_t { never, batch, each };
std::string_view to_text(Restore restore);

}  // namespace warpmark
