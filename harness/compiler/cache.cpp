#include "compiler/cache.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// A line that names the format, the SHA-256 of the rest, then each field as its length, ":" and
// bytes.
constexpr std::string_view kMagic = "warpmark kernel 1\n";
constexpr std::string_view kKernelSuffix = ".kernel";
constexpr std::string_view kHeadersSuffix = ".headers";
constexpr size_t kDigits = 64;

void put(std::string& out, std::string_view field) {
  out += std::to_string(field.size());
  out += ':';
  out += field;
}

bool take(std::string_view& in, std::string& field) {
  size_t length = 0;
  const auto [end, code] = std::from_chars(in.data(), in.data() + in.size(), length);
  const auto digits = static_cast<size_t>(end - in.data());
  if (code != std::errc{} || digits >= in.size() || in[digits] != ':') return false;
  in.remove_prefix(digits + 1);
  if (length > in.size()) return false;
  field = in.substr(0, length);
  in.remove_prefix(length);
  return true;
}

std::string encode(const std::string& key, const CachedCompilation& value) {
  std::string body;
  body.reserve(value.cubin.size() + value.ptx.size() + value.log.size() + 512);
  for (const std::string* field : {&key, &value.cubin, &value.ptx, &value.log, &value.types,
                                   &value.instances, &value.left_out}) {
    put(body, *field);
  }
  return std::string(kMagic) + sha256_hex(body) + "\n" + body;
}

// The key is inside too, so that an entry under another's name is not taken for it.
std::optional<CachedCompilation> decode(const std::string& key, std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < kDigits + 1 || bytes[kDigits] != '\n') return std::nullopt;
  const std::string_view sum = bytes.substr(0, kDigits);
  bytes.remove_prefix(kDigits + 1);
  if (sha256_hex(bytes) != sum) return std::nullopt;
  CachedCompilation value;
  std::string stored_key;
  for (std::string* field : {&stored_key, &value.cubin, &value.ptx, &value.log, &value.types,
                             &value.instances, &value.left_out}) {
    if (!take(bytes, *field)) return std::nullopt;
  }
  if (!bytes.empty() || stored_key != key) return std::nullopt;
  return value;
}

enum class OwnFile { no, kernel, header_pack, unfinished };

// "KEY.kernel" and "KEY.headers"; with the six characters of an atomic write a file is unfinished.
OwnFile own_file(std::string_view name) {
  if (name.find_first_not_of("0123456789abcdef") != kDigits) return OwnFile::no;
  name.remove_prefix(kDigits);
  const bool kernel = name.starts_with(kKernelSuffix);
  if (!kernel && !name.starts_with(kHeadersSuffix)) return OwnFile::no;
  name.remove_prefix(kernel ? kKernelSuffix.size() : kHeadersSuffix.size());
  if (name.empty()) return kernel ? OwnFile::kernel : OwnFile::header_pack;
  return name.size() == 7 && name.front() == '.' ? OwnFile::unfinished : OwnFile::no;
}

// An unfinished file this old was left by a process that was killed; a younger one is being
// written.
constexpr auto kAbandonedAfter = std::chrono::minutes(10);

OwnFile own_file(const fs::directory_entry& entry) {
  std::error_code code;
  if (entry.is_symlink(code) || !entry.is_regular_file(code)) return OwnFile::no;
  return own_file(entry.path().filename().string());
}

bool abandoned(const fs::directory_entry& unfinished) {
  std::error_code code;
  const fs::file_time_type written = unfinished.last_write_time(code);
  return !code && fs::file_time_type::clock::now() - written > kAbandonedAfter;
}

// Adds up those of the cache's own files in a folder that `counts` takes.
template <typename Counts>
CacheEntries sum_of(const fs::path& folder, Counts counts) {
  CacheEntries sum;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const OwnFile kind = own_file(entry);
    if (kind == OwnFile::no) continue;
    std::error_code failed;
    const uint64_t bytes = entry.file_size(failed);
    if (failed || !counts(kind, entry)) continue;  // another process may have just removed it
    (kind == OwnFile::header_pack ? sum.header_packs : sum.kernels) += 1;
    sum.bytes += bytes;
  }
  return sum;
}

}  // namespace

std::string CacheEntries::words() const {
  std::string text = counted(kernels, "kernel");
  if (header_packs != 0) {
    text +=
        fmt::format(" and {} {} of headers", header_packs, header_packs == 1 ? "pack" : "packs");
  }
  return fmt::format("{} in {}", text, format_bytes(bytes));
}

fs::path CompileCache::kernel_path(const std::string& key) const {
  return folder_ / "kernels" / (key + std::string(kKernelSuffix));
}

fs::path CompileCache::header_pack_path(const std::string& key) const {
  return folder_ / "kernels" / (key + std::string(kHeadersSuffix));
}

CacheLookup CompileCache::find(const std::string& key) const {
  CacheLookup lookup;
  if (!enabled()) return lookup;
  const fs::path path = kernel_path(key);
  // Other processes may clear the cache and fill it again between any two of these calls; that is
  // no news, and only an entry that stays unreadable is.
  constexpr int kAttempts = 5;
  std::error_code code;
  for (int attempt = 0; attempt < kAttempts && fs::exists(path, code); ++attempt) {
    try {
      lookup.found = decode(key, read_file(path));
      lookup.notice =
          lookup.found
              ? ""
              : fmt::format("the cached kernel {} is damaged and is compiled again", path.string());
      return lookup;
    } catch (const Error& error) {
      lookup.notice = error.message();
    }
  }
  if (!fs::exists(path, code)) lookup.notice.clear();
  return lookup;
}

std::string CompileCache::store(const std::string& key, const CachedCompilation& value) const {
  if (!enabled()) return {};
  try {
    write_file_atomically(kernel_path(key), encode(key, value));
    return {};
  } catch (const Error& error) {
    return fmt::format("the compiled kernel is not kept: {}", error.message());
  }
}

CacheEntries CompileCache::clear() const {
  if (!enabled()) return {};
  return sum_of(folder_ / "kernels", [](OwnFile kind, const fs::directory_entry& entry) {
    std::error_code failed;
    return (kind != OwnFile::unfinished || abandoned(entry)) && fs::remove(entry.path(), failed);
  });
}

CacheEntries CompileCache::entries() const {
  if (!enabled()) return {};
  return sum_of(folder_ / "kernels", [](OwnFile kind, const fs::directory_entry& /*entry*/) {
    return kind != OwnFile::unfinished;
  });
}

}  // namespace warpmark
