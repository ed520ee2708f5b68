#include "cli/draft/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/schemas.hpp"
#include "base/text.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/run_config.hpp"
#include "grade/assignment/assignment.hpp"
#include "runtime/suite_inputs.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// How a kind is listed: by the folders that have files, or by files.
struct ExampleKind {
  const char* folder;
  bool by_folder;
};
constexpr std::array kKinds = {ExampleKind{"suites", true}, ExampleKind{"courses", true},
                               ExampleKind{"configs", false}, ExampleKind{"examples", false}};
constexpr const char* kSchemaLine = "# yaml-language-server: $schema=";

bool is_extra(const fs::path& file) {
  return file.filename() == "README.md" || file.string().find("__pycache__") != std::string::npos;
}

std::set<fs::path> files_below(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool compiled = entry.path().string().find("__pycache__") != std::string::npos;
    if (entry.is_regular_file() && !compiled) files.insert(entry.path());
  }
  return files;
}

// The `about` of a suite, run configuration or assignment, else the `title`.
std::string yaml_about(const fs::path& file) {
  try {
    const YamlNode root = parse_yaml(read_file(file), file.string());
    for (const char* key : {"about", "title"}) {
      if (const YamlNode* text = root.find(key)) return text->text;
    }
  } catch (const Error&) {
    // A list shows the names of files, too, that cannot be read.
  }
  return "";
}

// The first sentence of the comment that a file begins with.
std::string comment_about(const fs::path& file) {
  std::string text;
  for (const std::string& line : split(read_file(file), '\n')) {
    if (line.starts_with("#!") || line.starts_with(kSchemaLine)) continue;
    if (!line.starts_with("# ") && !line.starts_with("// ")) break;
    text += (text.empty() ? "" : " ") + line.substr(line.find(' ') + 1);
    if (text.ends_with(".")) break;
  }
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string folder_about(const fs::path& folder) {
  if (fs::exists(folder / "assignment.yaml")) return yaml_about(folder / "assignment.yaml");
  std::vector<std::string> names;
  fs::path last;
  for (const fs::path& file : files_below(folder)) {
    if (file.extension() != ".yaml") continue;
    last = file;
    names.push_back(file.stem().string());
  }
  return names.size() == 1 ? yaml_about(last)
                           : fmt::format("{} suites: {}", names.size(), join(names, ", "));
}

// A manifest has no comments, and describes itself.
std::string json_about(const fs::path& file) {
  const auto manifest = nlohmann::json::parse(read_file(file), nullptr, false);
  const auto about = manifest.is_object() ? manifest.find("description") : manifest.end();
  return about != manifest.end() && about->is_string() ? about->get<std::string>() : "";
}

std::string file_about(const fs::path& file) {
  std::string about;
  if (file.extension() == ".yaml") about = yaml_about(file);
  if (file.extension() == ".json") about = json_about(file);
  return about.empty() ? comment_about(file) : about;
}

// The topmost folders below `folder` that have files.
void find_folders(const fs::path& folder, std::set<fs::path>& found) {
  std::set<fs::path> below;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && !is_extra(entry.path())) {
      found.insert(folder);
      return;
    }
    if (entry.is_directory()) below.insert(entry.path());
  }
  for (const fs::path& one : below) find_folders(one, found);
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path way = file.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

// A path of the user's, which must not lead out of the data folder.
fs::path checked_path(const fs::path& data, const std::string& name) {
  const fs::path path = (fs::path(name) / "").lexically_normal().parent_path();
  std::error_code ignored;
  const bool known = std::ranges::any_of(kKinds, [&](const ExampleKind& kind) {
    return !path.empty() && *path.begin() == kind.folder && path != kind.folder;
  });
  if (known && path.is_relative() && fs::exists(data / path, ignored)) return path;
  std::vector<std::string> names;
  for (const Example& one : examples(data)) {
    names.push_back(one.name);
    if (fs::path(one.name).filename() == path) {
      throw usage_error(fmt::format("there is no example `{}`", printable(name)), {},
                        fmt::format("did you mean `{}`?", one.name));
    }
  }
  const std::string near = nearest(name, names);
  throw usage_error(
      fmt::format("there is no example `{}`", printable(name)), {},
      near.empty() ? "`warpmark examples` lists them" : fmt::format("did you mean `{}`?", near));
}

// Plugins are the program's own, and may lie in a build folder of the same tree.
void add_inputs(const Suite& suite, const fs::path& root, std::set<fs::path>& files) {
  for (const std::string& name : suite_inputs(suite)) {
    const fs::path file = fs::path(name).lexically_normal();
    const bool shipped = std::ranges::any_of(
        kKinds, [&](const ExampleKind& kind) { return is_below(file, root / kind.folder); });
    if (shipped) files.insert(file);
  }
}

void add_config(const fs::path& file, const fs::path& root, std::set<fs::path>& files) {
  for (const RunJob& job : load_run_config(file).jobs) {
    for (const fs::path& path : job.request.paths) {
      if (fs::is_directory(path)) {
        files.merge(files_below(path.lexically_normal()));
      } else {
        add_inputs(*load_suite(path), root, files);
      }
    }
    const fs::path baseline = job.request.baseline.lexically_normal();
    std::error_code ignored;
    if (fs::exists(baseline, ignored) && is_below(baseline, root / "results")) {
      files.insert(baseline);
    }
  }
}

// Files for engines are YAML, too, in forms that suites do not have.
bool is_suite(const fs::path& path) {
  if (path.extension() != ".yaml" || fs::is_directory(path)) return false;
  try {
    const YamlNode node = parse_yaml(read_file(path), display_path(path));
    return node.kind == YamlNode::Kind::map && node.find("warpmark") != nullptr &&
           node.find("arguments") != nullptr;
  } catch (const Error&) {
    return false;
  }
}

// The files that those of an example name.
void add_named(const fs::path& path, const fs::path& kind, const fs::path& root,
               std::set<fs::path>& files) {
  if (kind == "configs") {
    add_config(path, root, files);
  } else if (is_suite(path)) {
    add_inputs(*load_suite(path), root, files);
  } else if (kind == "courses" && fs::exists(path / "assignment.yaml")) {
    LazyPython python;
    const auto assignment = load_assignment(path / "assignment.yaml", python.list_evaluator());
    for (const auto& suite : assignment->suites) add_inputs(*suite, root, files);
  }
}

}  // namespace

std::vector<Example> examples(const fs::path& data) {
  std::vector<Example> found;
  for (const ExampleKind& kind : kKinds) {
    std::error_code ignored;
    if (!fs::is_directory(data / kind.folder, ignored)) continue;
    std::set<fs::path> paths;
    if (kind.by_folder) {
      find_folders(data / kind.folder, paths);
    } else {
      paths = files_below(data / kind.folder);
      std::erase_if(paths, is_extra);
    }
    for (const fs::path& path : paths) {
      found.push_back({path.lexically_relative(data).generic_string(),
                       kind.by_folder ? folder_about(path) : file_about(path)});
    }
  }
  return found;
}

std::vector<ExampleFile> example_files(const fs::path& data, const std::string& name) {
  const fs::path way = checked_path(data, name);
  const fs::path kind = *way.begin();
  // A build folder has links to the sources' folders.
  const fs::path root = fs::canonical(data / kind).parent_path();
  const fs::path path = root / way;
  std::set<fs::path> files = {path};
  if (fs::is_directory(path)) files = files_below(path);
  add_named(path, kind, root, files);
  fs::path from = path.parent_path();
  const bool together =
      std::ranges::all_of(files, [&](const auto& one) { return is_below(one, from); });
  if (!together) from = root;
  std::vector<ExampleFile> all;
  for (const fs::path& file : files) all.push_back({file, file.lexically_relative(from)});
  return all;
}

std::string copied_text(const fs::path& source, const fs::path& schemas, const fs::path& folder) {
  std::string text = read_file(source);
  if (!text.starts_with(kSchemaLine)) return text;
  const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string schema = fs::path(trim(text.substr(0, end))).stem().string();
  const std::string line = schema_line(schemas, schema, folder);
  return line.empty() ? text : line + text.substr(end);
}

}  // namespace warpmark
