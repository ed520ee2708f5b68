// Compressed PTX of fatbins, read by the system's LZ4 and Zstandard libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmark::cpu {

enum class Compression : std::uint8_t { none, lz4, zstd };

/// The result of decompressing a text.
struct Decompressed {
  std::string text;
  std::string error;  ///< reason of a failure, as the end of a sentence; "" on success
};

/// Decompresses `compressed` to `bytes` bytes: one block of LZ4, or one frame of Zstandard. The
/// library is opened when the first text needs it, so that a machine without it runs everything
/// else.
Decompressed decompress(Compression how, std::string_view compressed, std::size_t bytes);

}  // namespace warpmark::cpu
