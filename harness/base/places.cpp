#include "base/places.hpp"

#include <cstdlib>
#include <string_view>

#include "base/own_program.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// From the program's folder to its libraries. An installed one may have them in
// "../lib/x86_64-linux-gnu/warpmark", where the system wants that.
constexpr std::string_view kBuiltLibrary = "../lib/warpmark";
constexpr std::string_view kInstalledLibrary = WARPMARK_INSTALLED_LIBRARY;
constexpr std::string_view kBuiltData = "../share/warpmark";
constexpr std::string_view kInstalledData = WARPMARK_INSTALLED_DATA;

}  // namespace

Places places_of(const fs::path& program_folder) {
  Places places;
  std::error_code ignored;
  places.installed = !fs::exists(program_folder.parent_path() / "CMakeCache.txt", ignored);
  const fs::path library = places.installed ? kInstalledLibrary : kBuiltLibrary;
  places.library = (program_folder / library).lexically_normal();
  const fs::path data = places.installed ? kInstalledData : kBuiltData;
  places.data = (program_folder / data).lexically_normal();
  places.schemas = places.data / "schema";
  places.cuda = places.installed ? places.library / "cuda"
                                 : (program_folder / "../deps/cuda").lexically_normal();
  // A host that installs NVRTC in a place of its own passes the place to its workers, too.
  const char* given = std::getenv("WARPMARK_OWN_CUDA");
  if (given != nullptr && *given != '\0') places.cuda = given;
  return places;
}

Places own_places() {
  return places_of(own_program().folder);
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

fs::path cache_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (fs::path own = variable("WARPMARK_CACHE_DIR"); !own.empty()) return own;
  // The XDG rules say that a relative path is to be ignored.
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "warpmark";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "warpmark";
  return {};
}

std::string loadable(const std::string& name) {
  const char* folders = std::getenv("LD_LIBRARY_PATH");
  if (folders == nullptr || *folders == '\0' || name.find('/') != std::string::npos) return name;
  for (const std::string& folder : split(folders, ':')) {
    std::error_code code;
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (fs::exists(file, code)) return fs::absolute(file, code).string();
  }
  return name;
}

}  // namespace warpmark
