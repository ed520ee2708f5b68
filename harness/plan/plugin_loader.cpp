#include "plan/plugin_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/file.hpp"
#include "base/loader.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "warpmark-plugin-";
constexpr std::string_view kSuffix = ".so";

std::vector<PluginLoader::Available> plugins_in(const fs::path& folder) {
  std::vector<PluginLoader::Available> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.size() <= kPrefix.size() + kSuffix.size() || !name.starts_with(kPrefix) ||
        !name.ends_with(kSuffix)) {
      continue;
    }
    found.push_back({name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()),
                     entry->path()});
  }
  return found;
}

const warpmark_plugin* open_plugin(const fs::path& file, const std::string& name,
                                   const Position& where) {
  const std::string shown = display_path(file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw usage_error(
        fmt::format("cannot open the plugin {}: {}", shown, printable(loader_error())), where);
  }
  void* symbol = dlsym(library, WARPMARK_PLUGIN_SYMBOL);
  if (symbol == nullptr) {
    throw usage_error(
        fmt::format("{} is no plugin: it does not export {}", shown, WARPMARK_PLUGIN_SYMBOL), where,
        "WARPMARK_PLUGIN in warpmark/plugin.hpp defines it");
  }
  const warpmark_plugin* plugin = reinterpret_cast<warpmark_plugin_function>(symbol)();
  if (plugin == nullptr) {
    throw usage_error(fmt::format("{}: {} returned null", shown, WARPMARK_PLUGIN_SYMBOL), where);
  }
  // Only these two are there in every version.
  if (plugin->version != WARPMARK_PLUGIN_VERSION) {
    throw usage_error(fmt::format("{} is of version {} of the plugin interface, and this program "
                                  "knows version {}",
                                  shown, plugin->version, WARPMARK_PLUGIN_VERSION),
                      where, "build the plugin against this program's warpmark/plugin.h");
  }
  // Later members may be missing.
  constexpr size_t kLeast = offsetof(warpmark_plugin, trial);
  if (plugin->size < kLeast) {
    throw usage_error(fmt::format("{} gives a warpmark_plugin of {} bytes instead of {}", shown,
                                  plugin->size, kLeast),
                      where, "set `size` to sizeof(warpmark_plugin)");
  }
  if (plugin->name == nullptr || plugin->plan == nullptr) {
    throw usage_error(fmt::format("{} has no name or no plan function", shown), where);
  }
  if (plugin->name != name) {
    throw usage_error(fmt::format("{} calls itself `{}`", shown, printable(plugin->name)), where,
                      "the name in the file's name and the plugin's own must agree");
  }
  return plugin;
}

}  // namespace

PluginLoader::PluginLoader(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

std::vector<PluginLoader::Available> PluginLoader::available() const {
  std::vector<Available> all;
  std::set<std::string> names;
  for (const fs::path& folder : folders_) {
    std::vector<Available> here = plugins_in(folder);
    std::ranges::sort(here, {}, &Available::name);
    // An earlier folder hides the same name in a later one.
    for (Available& plugin : here) {
      if (names.insert(plugin.name).second) all.push_back(std::move(plugin));
    }
  }
  return all;
}

const warpmark_plugin& PluginLoader::load(const std::string& name, const fs::path& suite_folder,
                                          const Position& where) {
  std::vector<fs::path> folders = {suite_folder};
  folders.insert(folders.end(), folders_.begin(), folders_.end());
  const std::string file_name = fmt::format("{}{}{}", kPrefix, name, kSuffix);
  const std::lock_guard lock(mutex_);
  for (const fs::path& folder : folders) {
    const fs::path file = fs::absolute(folder / file_name).lexically_normal();
    const auto open = open_.find(file);
    if (open != open_.end()) return *open->second;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    return *(open_[file] = open_plugin(file, name, where));
  }
  std::vector<std::string> looked;
  std::set<std::string> known;
  for (const fs::path& folder : folders) {
    looked.push_back(display_path(folder));
    for (const Available& plugin : plugins_in(folder)) known.insert(plugin.name);
  }
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string near = nearest(name, names);
  throw usage_error(
      fmt::format("there is no plugin `{}`: no {} in {}", name, file_name, join(looked, ", ")),
      where,
      !near.empty()   ? fmt::format("did you mean `{}`?", near)
      : names.empty() ? "there are no plugins in those folders; WARPMARK_PLUGIN_PATH adds folders"
                      : "there are: " + join(names, ", "));
}

}  // namespace warpmark
