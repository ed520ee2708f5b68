// Where a copy of the program, built or installed, finds what came with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmark {

/// The folders of one copy of the program. All follow from the program's own, so that an installed
/// copy can be moved as a whole.
struct Places {
  bool installed = false;         ///< not in the folder that CMake builds in
  std::filesystem::path library;  ///< plugins and driver libraries: lib/warpmark
  /// CUDA's headers and NVRTC, if they came along: build/deps/cuda as ./bootstrap fills it, and
  /// lib/warpmark/cuda of an installed copy.
  std::filesystem::path cuda;
  std::filesystem::path schemas;  ///< share/warpmark/schema
};

/// Those of the program whose executable lies in `program_folder`.
Places places_of(const std::filesystem::path& program_folder);

/// Those of this process.
Places own_places();

/// Where plugins and driver libraries are looked for: the folders of WARPMARK_PLUGIN_PATH
/// (separated by ":"), then the program's own.
std::vector<std::filesystem::path> library_search_path();

/// What to open for a shared library's name without a slash: its path in the first folder of
/// LD_LIBRARY_PATH that has it, else the name. The loader does the same (ld.so(8)), but with the
/// variable as it was when the process started; a confined worker gets its value later.
std::string loadable(const std::string& name);

}  // namespace warpmark
