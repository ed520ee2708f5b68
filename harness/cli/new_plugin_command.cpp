// `warpmark new plugin`: a folder with a plugin that builds, and a suite that uses it.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/new_kinds.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct NewPluginRequest {
  std::string name;
  fs::path folder;  ///< "" for one of the plugin's name
};

void require_plugin_name(const std::string& name) {
  const bool fits =
      !name.empty() && is_letter(name.front()) &&
      std::ranges::all_of(name, [&](char c) { return is_word_character(c) || c == '-'; });
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

// "my_scan" gives "MyScan".
std::string class_name(const std::string& name) {
  std::string made;
  bool begins = true;
  for (const char c : name) {
    const bool separates = c == '_' || c == '-';
    if (!separates) made += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = separates;
  }
  // "failure" and "json" are taken.
  return made == "Failure" || made == "Json" ? made + "Plugin" : made;
}

ExitCode make_plugin(const NewPluginRequest& request, Output& out) {
  require_plugin_name(request.name);
  FolderDraft draft(request.folder.empty() ? fs::path(request.name) : request.folder,
                    "name another folder with -o, or remove it");
  draft.make(
      "plugin",
      {{"name", request.name}, {"class", class_name(request.name)}, {"version", asked_version()}},
      out);
  const std::string prefix = own_places().installed
                                 ? display_path(own_program().folder.parent_path())
                                 : "where Warpmark is installed (cmake --install)";
  out.print(
      "next: cd {} && cmake -B build -DCMAKE_PREFIX_PATH='{}' && cmake --build build && ctest "
      "--test-dir build\n",
      display_path(draft.folder()), prefix);
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
