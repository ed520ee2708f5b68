// From what clients load to PTX text: plain text, or that of a fatbin which the device would run.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/compression.hpp"
#include "api/state.hpp"
#include "api/target.hpp"
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
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr std::uint64_t kSpecific = 0x100000, kFamily = 0x200000;  // sm_90a, sm_100f
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One PTX of a fatbin. Its text names its target; of a compressed one the entry does.
struct FatbinText {
  std::string_view content;  ///< the text, or what it was compressed to
  Compression compression = Compression::none;
  std::size_t bytes = 0;  ///< of the text that was compressed
  std::string target;
};

Compression compression_of(const FatbinEntry& entry) {
  if ((entry.flags & kLz4) != 0) return Compression::lz4;
  return (entry.flags & kZstd) != 0 ? Compression::zstd : Compression::none;
}

FatbinText text_of_entry(const FatbinEntry& entry, const std::byte* content) {
  FatbinText found;
  found.compression = compression_of(entry);
  found.content = {reinterpret_cast<const char*>(content), entry.bytes};
  if (found.compression == Compression::none) {
    found.content = found.content.substr(0, found.content.find('\0'));
    found.target = header_of(found.content).target;
  } else {
    // Padding follows the compressed bytes, up to a multiple of 8.
    found.content = found.content.substr(0, entry.compressed_bytes);
    found.bytes = entry.uncompressed_bytes;
  }
  if (found.target.empty()) {
    found.target = "sm_" + std::to_string(entry.arch);
    if ((entry.flags & kSpecific) != 0) found.target += 'a';
    if ((entry.flags & kFamily) != 0) found.target += 'f';
  }
  return found;
}

// Measured on an H100, driver 580: the newest target that the device runs, its own `a` before the
// plain one, of two alike the later; the version is looked at only afterwards.
bool is_better(const std::string& target, const std::string& than) {
  const std::uint32_t one = architecture_of(target), other = architecture_of(than);
  const auto rank = [](const std::string& name) {
    return name.ends_with('a') ? 2 : name.ends_with('f') ? 1 : 0;
  };
  return one != other ? one > other : rank(target) >= rank(than);
}

CUresult choose_text(const std::vector<FatbinText>& all, std::string& text) {
  const FatbinText* best = nullptr;
  std::string targets;
  for (const FatbinText& one : all) {
    targets += (targets.empty() ? "" : ", ") + one.target;
    if (runs_here(one.target) && (best == nullptr || is_better(one.target, best->target)))
      best = &one;
  }
  if (all.empty())
    return fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                "the fatbin holds code for a GPU; this device executes PTX text: make it with "
                "nvcc -gencode arch=compute_90,code=compute_90, or under warpmark-cpu, whose nvcc "
                "writes PTX (warpmark-cpu make -B)");
  if (best == nullptr)
    return fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                "the fatbin has PTX for " + targets +
                    ", and none that runs on this device's compute capability " +
                    device_capability() + "; a build under warpmark-cpu writes such PTX");
  if (best->compression == Compression::none) {
    text = best->content;
    return CUDA_SUCCESS;
  }
  Decompressed made = decompress(best->compression, best->content, best->bytes);
  if (!made.error.empty())
    return fail(CUDA_ERROR_INVALID_IMAGE, "the PTX of the fatbin for " + best->target +
                                              ", which this device would run, " + made.error);
  text = std::move(made.text);
  text.resize(std::min(text.find('\0'), text.size()));
  return CUDA_SUCCESS;
}

CUresult text_of_fatbin(const std::byte* image, std::size_t known, std::string& text) {
  if (known < sizeof(FatbinHeader)) return CUDA_ERROR_INVALID_IMAGE;
  const auto header = read<FatbinHeader>(image);
  if (header.header_bytes < sizeof header || header.bytes > kMostBytes ||
      header.header_bytes + header.bytes > known)
    return fail(CUDA_ERROR_INVALID_IMAGE, "a fatbin whose header is damaged");
  const std::byte* at = image + header.header_bytes;
  std::uint64_t left = header.bytes;
  std::vector<FatbinText> all;
  while (left >= sizeof(FatbinEntry)) {
    const auto entry = read<FatbinEntry>(at);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes)
      break;
    if (entry.kind == kPtx) all.push_back(text_of_entry(entry, at + entry.header_bytes));
    at += entry.header_bytes + entry.bytes;
    left -= entry.header_bytes + entry.bytes;
  }
  return choose_text(all, text);
}

}  // namespace

CUresult read_file(const char* path, std::string& bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(CUDA_ERROR_FILE_NOT_FOUND, std::string("cannot open ") + path);
  bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return CUDA_SUCCESS;
}

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
                  "a cubin holds code for a GPU; this device executes PTX text: load that (nvcc "
                  "--ptx)");
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
