#include "results/last_failed.hpp"

#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// 64 bits are enough to distinguish the suites of one user, and the cases of one suite.
std::string short_hash(std::string_view text) {
  return sha256_hex(text).substr(0, 16);
}

}  // namespace

fs::path LastFailed::folder_of(const fs::path& suite_file) const {
  return folder_ / short_hash(fs::absolute(suite_file).lexically_normal().string());
}

std::set<std::string> LastFailed::of(const fs::path& suite_file) const {
  std::set<std::string> ids;
  if (!enabled()) return ids;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(suite_file), error), end; !error && entry != end;
       entry.increment(error)) {
    try {
      std::error_code ignored;
      if (entry->is_regular_file(ignored)) ids.emplace(trim(read_file(entry->path())));
    } catch (const Error&) {  // another process has forgotten it meanwhile
    }
  }
  return ids;
}

void LastFailed::remember(const fs::path& suite_file, const std::string& id) const {
  if (enabled()) write_file_atomically(folder_of(suite_file) / short_hash(id), id + "\n");
}

void LastFailed::forget(const fs::path& suite_file, const std::string& id) const {
  std::error_code error;
  if (enabled()) fs::remove(folder_of(suite_file) / short_hash(id), error);
  if (error) {
    throw environment_error("cannot remove " + (folder_of(suite_file) / short_hash(id)).string() +
                            ": " + error.message());
  }
}

}  // namespace warpmark
