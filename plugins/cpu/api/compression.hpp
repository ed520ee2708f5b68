// Compressed PTX of fatbins, read by the system's LZ4 and Zstandard libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmark::cpu {

enum class Compression : std::uint8_t { none, lz4, zstd };

/// What became of a compressed text.
struct Decompressed {
  std::string text;
  std::string error;  ///< why there is none, as the end of a sentence; "" if there is one
};

/// The `bytes` bytes that `compressed` stands for: one block of LZ4, or one frame of Zstandard. The
/// library is opened when the first text needs it, so that a machine without it runs all else.
Decompressed decompress(Compression how, std::string_view compressed, std::size_t bytes);

}  // namespace warpmark::cpu
