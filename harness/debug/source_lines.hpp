// The sources of a case: lines to show, and paths for an editor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "debug/launch_text.hpp"
#include "runtime/artifacts.hpp"

namespace warpmark::debugging {

/// A file's name is as PTX has it. Of a case only the texts that were compiled, and files of the
/// suite's own folder, are shown.
class SourceLines {
 public:
  SourceLines(const CaseArtifacts& artifacts, std::filesystem::path folder)
      : artifacts_(&artifacts), folder_(std::move(folder)) {}
  /// A program's user may read all that its debug information names.
  SourceLines() : folder_(std::filesystem::current_path()) {}

  /// The line of a number, from 1; nothing if the text is not known, or ends before.
  std::optional<std::string> line(const std::string& file, uint32_t number);
  /// The texts of the files that a launch's statements are of, as far as they are shown.
  std::vector<std::string> texts(const LaunchText& launch) const;
  /// The file in the suite's folder; "" if there is none.
  std::filesystem::path path(const std::string& file) const;

 private:
  std::string text_of(const std::string& file) const;
  const std::vector<std::string>& lines_of(const std::string& file);

  const CaseArtifacts* artifacts_ = nullptr;  ///< null: any file is shown
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> known_;
};

}  // namespace warpmark::debugging
