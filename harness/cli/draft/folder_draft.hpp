// A folder that appears whole or not at all.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/program/output.hpp"

namespace warpmark {

/// Files are written beside the folder that is to be, under another name, so that relative paths
/// out of one are those out of the other; then it is renamed.
class FolderDraft {
 public:
  /// Throws a usage error if `folder` is there already.
  explicit FolderDraft(const std::filesystem::path& folder,
                       const char* hint = "choose another name, or remove it");
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  /// Removes what was not kept.
  ~FolderDraft();

  const std::filesystem::path& folder() const { return folder_; }  ///< absolute, as it will be
  const std::filesystem::path& path() const { return draft_; }     ///< where files are written

  /// Throws an environment error.
  void keep();
  /// Writes the embedded files of harness/cli/draft/KIND, filled with `values`, keeps the folder and
  /// prints the files' names. The values' `name` takes the place of KIND in the name of a file.
  void make(const std::string& kind, const nlohmann::ordered_json& values, Output& out);

 private:
  std::filesystem::path folder_, draft_;
};

}  // namespace warpmark
