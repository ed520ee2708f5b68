#include "cli/draft/folder_draft.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {

namespace fs = std::filesystem;

FolderDraft::FolderDraft(const fs::path& folder) {
  folder_ = fs::absolute(folder).lexically_normal();
  // "name/" has an empty last part.
  if (folder_.filename().empty()) folder_ = folder_.parent_path();
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder_, ignored))) {
    throw usage_error(fmt::format("there is already {}", display_path(folder_)), {},
                      "existing files are not overwritten: choose another name, or remove it");
  }
  draft_ = folder_.parent_path() /
           fmt::format(".{}-{}", folder_.filename().string(), static_cast<int>(::getpid()));
}

FolderDraft::~FolderDraft() {
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
}

void FolderDraft::keep() {
  std::error_code code;
  fs::rename(draft_, folder_, code);
  if (code) {
    throw environment_error(
        fmt::format("cannot make {}: {}", display_path(folder_), code.message()));
  }
}

}  // namespace warpmark
