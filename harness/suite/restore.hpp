// The times in a bench at which buffers get their initial values back.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmark {

/// When `inout` buffers are restored between timed launches; `batch` is once for each batch of
/// launches.
enum class Restore : uint8_t { never, batch, each };
std::string_view to_text(Restore restore);

}  // namespace warpmark
