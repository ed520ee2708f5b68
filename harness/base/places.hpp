// The places of the files that belong to a copy of the program, built or installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmark {

/// The folders of one copy of the program. All are relative to the program's own, so that an
/// installed copy can be moved as a whole.
struct Places {
  bool installed = false;         ///< false for the folder that CMake builds in
  std::filesystem::path library;  ///< plugins and driver libraries: lib/warpmark
  /// CUDA's headers and NVRTC, if they are part of the copy: build/deps/cuda as ./bootstrap fills
  /// it, and lib/warpmark/cuda of an installed copy.
  std::filesystem::path cuda;
  std::filesystem::path data;     ///< share/warpmark: suites, courses, configs, examples, schema
  std::filesystem::path schemas;  ///< share/warpmark/schema
};

/// The places of the program whose executable lies in `program_folder`.
Places places_of(const std::filesystem::path& program_folder);

/// The places of this process's program.
Places own_places();

/// The folders that are searched for plugins and driver libraries: those of WARPMARK_PLUGIN_PATH
/// (separated by ":"), then the program's own.
std::vector<std::filesystem::path> library_search_path();

/// The folder of what programs of this user keep from one run to the next: WARPMARK_CACHE_DIR, else
/// `warpmark` in XDG_CACHE_HOME or ~/.cache; "" if the environment has none of them.
std::filesystem::path cache_folder();

/// The path to open for a shared library's name without a slash: its path in the first folder of
/// LD_LIBRARY_PATH that has it, else the name. The loader does the same (ld.so(8)), but with the
/// variable as it was when the process started; a confined worker gets its value later.
std::string loadable(const std::string& name);

}  // namespace warpmark
