#include "cli/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "cli/check_options.hpp"
#include "suite/suite_reader.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

class Reader {
 public:
  explicit Reader(const fs::path& file) : folder_(fs::absolute(file).parent_path()) {}

  RunConfig config(const YamlNode& root) {
    require_map(root, "a run configuration", {"warpmark", "about", "check"});
    require_format_version(root);
    RunConfig config;
    if (const YamlNode* about = root.find("about"))
      config.about = read_text(*about, "`about`").text;
    if (const YamlNode* section = root.find("check")) checks(*section, config);
    if (config.jobs.empty()) {
      throw usage_error("the run configuration has nothing to do", root.where,
                        "add `check: {suites: [...]}`");
    }
    return config;
  }

 private:
  void checks(const YamlNode& section, RunConfig& config) {
    if (section.kind != YamlNode::Kind::list) {
      add(check(section, "`check`", "check"), config);
      return;
    }
    require_list(section, "`check`");
    for (const YamlNode& element : section.elements) {
      add(check(element, "a job of `check`", ""), config);
    }
  }

  // A job in a list needs a name: its number would change when another is put before it.
  RunJob check(const YamlNode& node, const std::string& what, const std::string& name) {
    std::vector<std::string> keys = {"name"};
    for (const CheckOption& option : check_options()) keys.emplace_back(option.key);
    require_map(node, what, keys);
    RunJob job;
    job.where = node.where;
    job.name = name;
    if (const YamlNode* own = node.find("name")) job.name = read_job_name(*own);
    if (job.name.empty()) {
      throw usage_error(what + " needs `name`", node.where, "as in `- name: quick`");
    }
    if (node.find("suites") == nullptr) {
      throw usage_error(what + " needs `suites`", node.where,
                        "a list of suite files and folders, relative to this file");
    }
    // In the table's order, in which options of the command line are read, too.
    for (const CheckOption& option : check_options()) {
      const YamlNode* value = node.find(option.key);
      if (value != nullptr) read_option(option, *value, folder_, job.check);
    }
    claim(node, "journal", job.check.journal);
    claim(node, "junit", job.check.junit);
    claim(node, "keep", job.check.keep);
    return job;
  }

  static std::string read_job_name(const YamlNode& node) {
    const Located name = read_text(node, "`name`");
    const bool fits = std::all_of(name.text.begin(), name.text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    });
    if (fits && name.text.front() != '-') return name.text;
    throw usage_error(fmt::format("`{}` is no name of a job", name.text), name.where,
                      "use letters, digits and _ - .");
  }

  void add(RunJob job, RunConfig& config) const {
    for (const RunJob& other : config.jobs) {
      if (other.name == job.name) {
        throw usage_error(fmt::format("two jobs are called `{}`", job.name), job.where,
                          fmt::format("the first is on line {}", other.where.line));
      }
    }
    config.jobs.push_back(std::move(job));
  }

  // Two jobs that write one file would leave the second one's only.
  void claim(const YamlNode& node, const char* key, const fs::path& file) {
    if (file.empty()) return;
    const Position where = node.find(key)->where;
    const auto [other, is_new] = claimed_.emplace(file, where);
    if (is_new) return;
    throw usage_error(fmt::format("`{}` is written twice", display_path(file)), where,
                      fmt::format("the first is on line {}", other->second.line));
  }

  fs::path folder_;
  std::map<fs::path, Position> claimed_;
};

}  // namespace

RunConfig load_run_config(const fs::path& file) {
  return parse_run_config(read_file(file), file);
}

RunConfig parse_run_config(const std::string& text, const fs::path& file) {
  return Reader(file).config(parse_yaml(text, display_path(file)));
}

}  // namespace warpmark
