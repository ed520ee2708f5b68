// From what clients load to PTX text: plain text, or a fatbin that has an uncompressed one in it.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "api/state.hpp"
#include "ptx/error.hpp"
#include "ptx/lexer.hpp"

namespace warpmark::cpu {
namespace {

// The layout of a fatbin, as cuobjdump shows it and anchors describe it; nothing is documented.
struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< of what follows the header
};
struct FatbinEntry {
  std::uint16_t kind, version;  ///< kind: 1 PTX, 2 ELF
  std::uint32_t header_bytes;
  std::uint64_t bytes;             ///< of what follows the entry's header
  std::uint32_t compressed_bytes;  ///< 0 if it is not compressed
  std::uint32_t options_offset;
  std::uint16_t minor, major;
  std::uint32_t arch;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t uncompressed_bytes;
};
constexpr std::uint32_t kFatbin = 0xba55ed50, kWrapper = 0x466243b1;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // LZ4, Zstd
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

CUresult text_of_fatbin(const std::byte* image, std::size_t known, std::string& text) {
  if (known < sizeof(FatbinHeader)) return CUDA_ERROR_INVALID_IMAGE;
  const auto header = read<FatbinHeader>(image);
  if (header.header_bytes < sizeof header || header.bytes > kMostBytes ||
      header.header_bytes + header.bytes > known)
    return fail(CUDA_ERROR_INVALID_IMAGE, "a fatbin whose header is damaged");
  const std::byte* at = image + header.header_bytes;
  std::uint64_t left = header.bytes;
  std::uint32_t best = 0;
  bool compressed = false;
  while (left >= sizeof(FatbinEntry)) {
    const auto entry = read<FatbinEntry>(at);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes)
      break;
    const bool packed = (entry.flags & kCompressed) != 0 || entry.compressed_bytes != 0;
    if (entry.kind == kPtx) {
      compressed = compressed || packed;
      // The newest architecture, as its text is closest to what a current GPU would get.
      if (!packed && entry.arch >= best) {
        best = entry.arch;
        text.assign(reinterpret_cast<const char*>(at + entry.header_bytes), entry.bytes);
      }
    }
    at += entry.header_bytes + entry.bytes;
    left -= entry.header_bytes + entry.bytes;
  }
  if (!text.empty()) {
    text.resize(std::min(text.find('\0'), text.size()));
    return CUDA_SUCCESS;
  }
  return fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
              compressed ? "a fatbin whose PTX is compressed; make it with nvcc --no-compress"
                         : "a fatbin holds code for a GPU; this device executes PTX text");
}

}  // namespace

bool is_ptx(std::string_view text) {
  try {
    return Lexer(text).next().kind == TokenKind::directive;
  } catch (const PtxError&) {
    return false;
  }
}

CUresult text_of_image(const void* image, const std::size_t* bytes, std::string& text) {
  if (image == nullptr || (bytes != nullptr && *bytes == 0)) return CUDA_ERROR_INVALID_VALUE;
  const auto* data = static_cast<const std::byte*>(image);
  // Without a size only a first byte that no text begins with allows to look further.
  const auto first = read<unsigned char>(data);
  const std::size_t known = bytes != nullptr ? *bytes : kMostBytes * 2;
  if ((first == 0x7f || first == 0x50 || first == 0xb1) && known >= 4) {
    const auto magic = read<std::uint32_t>(data);
    if (magic == 0x464c457f)  // "\x7fELF"
      return fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  "a cubin holds code for a GPU; this device executes PTX text");
    if (magic == kFatbin) return text_of_fatbin(data, known, text);
    if (magic == kWrapper && known >= 16) {  // __fatBinC_Wrapper_t: magic, version, data
      const auto* inner = read<const std::byte*>(data + 8);
      if (inner != nullptr && read<std::uint32_t>(inner) == kFatbin)
        return text_of_fatbin(inner, kMostBytes * 2, text);
      return CUDA_ERROR_INVALID_IMAGE;
    }
  }
  text = bytes == nullptr ? std::string(static_cast<const char*>(image))
                          : std::string(static_cast<const char*>(image), *bytes);
  text.resize(std::min(text.find('\0'), text.size()));
  if (!is_ptx(text)) {
    return fail(CUDA_ERROR_INVALID_IMAGE,
                "the image is no PTX: that begins with .version, after comments");
  }
  return CUDA_SUCCESS;
}

}  // namespace warpmark::cpu
