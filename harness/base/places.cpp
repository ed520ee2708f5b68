#include "base/places.hpp"

#include <cstdlib>

#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

Places places_of(const fs::path& program_folder) {
  Places places;
  std::error_code ignored;
  places.installed = !fs::exists(program_folder.parent_path() / "CMakeCache.txt", ignored);
  // From bin to the libraries: "../lib/warpmark", or "../lib/x86_64-linux-gnu/warpmark" where the
  // system wants it.
  const fs::path library = places.installed ? WARPMARK_INSTALLED_LIBRARY : "../lib/warpmark";
  places.library = (program_folder / library).lexically_normal();
  places.cuda = places.installed ? places.library / "cuda"
                                 : (program_folder / "../deps/cuda").lexically_normal();
  return places;
}

Places own_places() {
  return places_of(program_folder());
}

std::vector<fs::path> library_search_path() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("WARPMARK_PLUGIN_PATH");
  for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  folders.push_back(own_places().library);
  return folders;
}

}  // namespace warpmark
