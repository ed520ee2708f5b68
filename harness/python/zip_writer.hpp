// Zip archives that are the same bytes for the same files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "python/interpreter.hpp"

namespace warpmark {

/// A file that goes into an archive or a folder.
struct PackedFile {
  std::string place;             ///< in the archive, with "/"; an empty folder ends with it
  std::filesystem::path source;  ///< the file to copy; empty: `text` is what it holds
  std::string text;
  unsigned mode = 0644;  ///< its permissions
};

/// Writes `archive` under a temporary name, and renames it. Times are 1980's, the earliest that the
/// format knows, and members stand in the order given. Throws an environment error.
void write_zip(Interpreter& python, const std::filesystem::path& archive,
               const std::vector<PackedFile>& files);

}  // namespace warpmark
