// The files of a plugin to start from: they build, and their suite passes.
#pragma once

#include <string>
#include <vector>

namespace warpmark {

struct DraftFile {
  std::string name;  ///< relative to the plugin's folder
  std::string text;
};

/// `name` has letters, digits, _ and -, a letter first; `version` is the "0.1" of this Warpmark.
std::vector<DraftFile> draft_plugin(const std::string& name, const std::string& version);

/// "my_scan" gives "MyScan".
std::string class_name(const std::string& name);

}  // namespace warpmark
