// The disk cache of compiled kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpmark {

/// The result of one compilation; the entries follow from the PTX and `types`.
struct CachedCompilation {
  std::string cubin;
  std::string ptx;
  std::string log;
  std::string types;      ///< signatures, in the compiler's own form
  std::string instances;  ///< symbols of requested template instances, "EXPRESSION\tSYMBOL" lines
  std::string left_out = {};  ///< code for the CPU, in lines
  friend bool operator==(const CachedCompilation&, const CachedCompilation&) = default;
};

struct CacheLookup {
  std::optional<CachedCompilation> found;
  std::string notice;  ///< why an existing entry is not used; "" otherwise
};

/// Some files of a cache: those that were removed, or those that exist.
struct CacheEntries {
  uint64_t kernels = 0;
  uint64_t header_packs = 0;  ///< see HeaderPack
  uint64_t bytes = 0;

  bool empty() const { return kernels == 0 && header_packs == 0; }
  /// As "2 kernels and 1 pack of headers in 1,200 bytes".
  std::string words() const;
};

/// Each entry is a separate file, named by key, written under another name and renamed; so any
/// number of processes may use one folder at a time.
class CompileCache {
 public:
  /// Keeps entries in `folder`/kernels; makes the folder when first needed. An empty path turns the
  /// cache off.
  explicit CompileCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  bool enabled() const { return !folder_.empty(); }
  /// `key` is 64 hexadecimal digits. Never throws for any contents of the disk.
  CacheLookup find(const std::string& key) const;
  /// Returns "" or, if the entry cannot be written, the reason: a notice, not an error.
  std::string store(const std::string& key, const CachedCompilation& value) const;
  /// Removes the entries, and only those: other files in the folder stay.
  CacheEntries clear() const;
  /// The entries that exist now; none if the folder cannot be read.
  CacheEntries entries() const;
  /// The file of a compiled kernel.
  std::filesystem::path kernel_path(const std::string& key) const;
  /// The file of a HeaderPack, whose `key` is 64 hexadecimal digits, too.
  std::filesystem::path header_pack_path(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace warpmark
