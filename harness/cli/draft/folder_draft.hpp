// A folder that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace warpmark {

/// Files are written beside the folder that is to be, under another name, so that relative paths
/// out of one are those out of the other; then it is renamed.
class FolderDraft {
 public:
  /// Throws a usage error if `folder` is there already.
  explicit FolderDraft(const std::filesystem::path& folder);
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  /// Removes what was not kept.
  ~FolderDraft();

  const std::filesystem::path& folder() const { return folder_; }  ///< absolute, as it will be
  const std::filesystem::path& path() const { return draft_; }     ///< where files are written

  /// Throws an environment error.
  void keep();

 private:
  std::filesystem::path folder_, draft_;
};

}  // namespace warpmark
