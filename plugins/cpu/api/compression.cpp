#include "api/compression.hpp"

#include <dlfcn.h>

#include <climits>

namespace warpmark::cpu {
namespace {

// The interfaces of liblz4.so.1 and libzstd.so.1, which both keep stable.
using Lz4Decompress = int (*)(const char* from, char* to, int from_bytes, int to_bytes);
using ZstdDecompress = std::size_t (*)(void* to, std::size_t to_bytes, const void* from,
                                       std::size_t from_bytes);

// No byte of a compressed text stands for more: LZ4 adds 255 to a length by each. Of Zstandard no
// bound is known; PTX texts have been seen at 4.
constexpr std::size_t kMostLz4Ratio = 255, kMostZstdRatio = 20000;

// Null if the library or its function is not there. Never closed.
void* function_of(const char* library, const char* name) {
  void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : ::dlsym(opened, name);
}

std::string missing(const char* library, const char* package) {
  return std::string("is compressed, and ") + library + " cannot be opened (Debian: " + package +
         "; or nvcc --no-compress)";
}

bool lz4(std::string_view from, std::string& to, std::string& error) {
  static const auto run =
      reinterpret_cast<Lz4Decompress>(function_of("liblz4.so.1", "LZ4_decompress_safe"));
  if (run == nullptr) {
    error = missing("liblz4.so.1", "liblz4-1");
    return false;
  }
  return run(from.data(), to.data(), static_cast<int>(from.size()), static_cast<int>(to.size())) ==
         static_cast<int>(to.size());
}

bool zstd(std::string_view from, std::string& to, std::string& error) {
  static const auto run =
      reinterpret_cast<ZstdDecompress>(function_of("libzstd.so.1", "ZSTD_decompress"));
  if (run == nullptr) {
    error = missing("libzstd.so.1", "libzstd1");
    return false;
  }
  // An error is a size that no text has.
  return run(to.data(), to.size(), from.data(), from.size()) == to.size();
}

}  // namespace

Decompressed decompress(Compression how, std::string_view compressed, std::size_t bytes) {
  Decompressed made;
  const std::size_t ratio = how == Compression::lz4 ? kMostLz4Ratio : kMostZstdRatio;
  bool whole = bytes <= INT_MAX && bytes / ratio <= compressed.size() && !compressed.empty();
  if (whole) {
    made.text.resize(bytes);
    whole = how == Compression::lz4 ? lz4(compressed, made.text, made.error)
                                    : zstd(compressed, made.text, made.error);
  }
  if (whole) return made;
  made.text.clear();
  if (made.error.empty()) made.error = "is compressed, and damaged";
  return made;
}

}  // namespace warpmark::cpu
