// `warpmark new plugin`: a folder with a plugin that builds, and a suite that uses it.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "cli/draft/plugin_draft.hpp"
#include "cli/new_kinds.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct NewPluginRequest {
  std::string name;
  fs::path folder;  ///< "" for one of the plugin's name
};

void require_plugin_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool fits = !name.empty() && is_letter(name.front()) &&
                    std::all_of(name.begin(), name.end(), [&](char c) {
                      return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
                    });
  if (!fits) {
    throw usage_error(fmt::format("`{}` is no name of a plugin", printable(name)), {},
                      "it names files and a class: use letters, digits, _ and -, a letter first; "
                      "-o says where the folder goes");
  }
  for (const char* own : {"source", "elementwise", "reduction", "array", "scan"}) {
    if (name != own) continue;
    throw usage_error(
        fmt::format("there is a plugin `{}` already, Warpmark's own", name), {},
        "a suite's folder would decide which of the two it gets: choose another name");
  }
}

// "0.1.0" gives "0.1": what find_package asks for.
std::string asked_version() {
  const std::string whole = WARPMARK_VERSION;
  return whole.substr(0, whole.find('.', whole.find('.') + 1));
}

ExitCode make_plugin(const NewPluginRequest& request, Output& out) {
  require_plugin_name(request.name);
  fs::path folder = whole_path(request.folder.empty() ? fs::path(request.name) : request.folder);
  if (!folder.has_filename()) folder = folder.parent_path();
  std::error_code code;
  if (fs::exists(fs::symlink_status(folder, code))) {
    throw usage_error(
        fmt::format("there is already {}", display_path(folder)), {},
        "existing files are not overwritten: name another folder with -o, or remove it");
  }
  // Beside the folder, so that it appears whole.
  const fs::path draft = folder.parent_path() / fmt::format(".{}-{}", folder.filename().string(),
                                                            static_cast<int>(::getpid()));
  const std::vector<DraftFile> files = draft_plugin(request.name, asked_version());
  try {
    for (const DraftFile& file : files) write_file_atomically(draft / file.name, file.text);
    fs::rename(draft, folder, code);
    if (code) {
      throw environment_error(
          fmt::format("cannot make {}: {}", display_path(folder), code.message()));
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(draft, ignored);
    throw;
  }
  const std::string shown = display_path(folder);
  for (const DraftFile& file : files) out.print("{}/{}\n", shown, file.name);
  const std::string prefix = own_places().installed
                                 ? display_path(own_program().folder.parent_path())
                                 : "where Warpmark is installed (cmake --install)";
  out.print(
      "next: cd {} && cmake -B build -DCMAKE_PREFIX_PATH='{}' && cmake --build build && ctest "
      "--test-dir build\n",
      shown, prefix);
  return ExitCode::success;
}

}  // namespace

Command new_plugin_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<NewPluginRequest>();
  const ArgumentParser plugin = kinds.add_subcommand(
      "plugin",
      "Write a folder with a plugin: a class that makes a kernel, a suite that uses it, and a\n"
      "CMake project that builds and tests it against an installed Warpmark");
  plugin.add_option("NAME", request->name, "What suites call it").required().value_name("");
  plugin.add_option("-o,--output", request->folder, "The folder; else one of the plugin's name")
      .value_name("DIR");
  return {plugin, [request](Output& out) { return make_plugin(*request, out); }};
}

}  // namespace warpmark
