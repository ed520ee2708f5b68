#include "runtime/suite_inputs.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/places.hpp"
#include "compiler/includes.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

class InputList {
 public:
  explicit InputList(const Suite& suite) : suite_(suite), files_{suite.file.string()} {
    for (const Kernel* kernel : kernels(suite)) add_kernel(*kernel);
    for (const Located& file : step_files(suite)) add_source(suite.kernel, file.text);
    for (const PythonText& text : python_texts(suite)) add_python(text);
    add_plugins();
  }

  std::vector<std::string> take() { return std::move(files_); }

 private:
  void add(const fs::path& path) {
    std::string file = fs::absolute(path).lexically_normal().string();
    if (std::ranges::find(files_, file) == files_.end()) {
      files_.push_back(std::move(file));
    }
  }

  void add_kernel(const Kernel& kernel) {
    const std::string own = suite_.file.filename().string();
    if (kernel.file) add_source(kernel, kernel.file->text);
    for (const Located& unit : kernel.link) add_source(kernel, unit.text);
    if (kernel.source) add_headers(kernel, kernel.source->text, own);
    // Plugins have texts of sources under keys of their own.
    for (const YamlMember& member : kernel.other) {
      if (member.value.text.find("include") != std::string::npos) {
        add_headers(kernel, member.value.text, own);
      }
    }
  }

  void add_source(const Kernel& kernel, const std::string& name) {
    add(suite_.folder / name);
    try {
      add_headers(kernel, read_file(suite_.folder / name), name);
    } catch (const Error&) {
      // A file that cannot be read fails the cases when they run.
    }
  }

  void add_headers(const Kernel& kernel, const std::string& source, const std::string& name) {
    IncludeSearch search;
    search.folder = suite_.folder;
    for (const Located& folder : kernel.include) {
      search.folders.push_back(suite_.folder / folder.text);
    }
    try {
      for (const Header& header : resolve_includes(source, name, search).headers) {
        if (!header.path.empty()) add(suite_.folder / header.path);
      }
    } catch (const Error&) {
      // The error is reported when the cases run.
    }
  }

  void add_python(const PythonText& value) {
    if (value.function) add(suite_.folder / value.text.substr(0, value.text.rfind(':')));
  }

  void add_plugins() {
    std::vector<fs::path> folders = library_search_path();
    folders.insert(folders.begin(), suite_.folder);
    for (const PluginLoader::Available& plugin : PluginLoader(folders).available()) {
      const bool of_baseline = suite_.baseline && suite_.baseline->plugin &&
                               suite_.baseline->plugin->text == plugin.name;
      if (plugin.name == suite_.plugin.text || of_baseline) add(plugin.file);
    }
  }

  const Suite& suite_;
  std::vector<std::string> files_;
};

}  // namespace

std::vector<std::string> suite_inputs(const Suite& suite) {
  return InputList(suite).take();
}

}  // namespace warpmark
