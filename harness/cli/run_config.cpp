#include "cli/run_config.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "suite/suite_reader.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

class Reader {
 public:
  explicit Reader(const fs::path& file) : folder_(fs::absolute(file).parent_path()) {}

  RunConfig config(const YamlNode& root) const {
    require_map(root, "a run configuration", {"warpmark", "about", "check"});
    require_format_version(root);
    RunConfig config;
    if (const YamlNode* about = root.find("about"))
      config.about = read_text(*about, "`about`").text;
    if (const YamlNode* job = root.find("check")) config.check = check(*job);
    if (!config.check) {
      throw usage_error("the run configuration has nothing to do", root.where,
                        "add `check: {suites: [...]}`");
    }
    return config;
  }

 private:
  CheckRequest check(const YamlNode& node) const {
    require_map(node, "`check`", {"suites", "device", "seed", "timeout_s", "journal", "junit"});
    CheckRequest request;
    const YamlNode* suites = node.find("suites");
    if (suites == nullptr) {
      throw usage_error("`check` needs `suites`", node.where,
                        "a list of suite files and folders, relative to this file");
    }
    require_list(*suites, "`suites`");
    for (const YamlNode& element : suites->elements) {
      request.paths.push_back(existing_path(element));
    }
    if (const YamlNode* device = node.find("device")) {
      request.session.device = read_text(*device, "`device`").text;
    }
    if (const YamlNode* seed = node.find("seed")) {
      const Located text = read_text(*seed, "`seed`");
      request.session.seed = parse_seed(text.text, "`seed`", text.where);
    }
    if (const YamlNode* timeout = node.find("timeout_s")) {
      const Located text = read_text(*timeout, "`timeout_s`");
      request.session.timeout_s = parse_timeout(text.text, "`timeout_s`", text.where);
    }
    if (const YamlNode* file = node.find("journal")) request.journal = path(*file, "`journal`");
    if (const YamlNode* file = node.find("junit")) request.junit = path(*file, "`junit`");
    return request;
  }

  fs::path path(const YamlNode& node, const std::string& what) const {
    return (folder_ / read_text(node, what).text).lexically_normal();
  }

  fs::path existing_path(const YamlNode& node) const {
    fs::path whole = path(node, "an element of `suites`");
    std::error_code ignored;
    if (!fs::exists(whole, ignored)) {
      throw usage_error(fmt::format("there is no file or folder `{}`", display_path(whole)),
                        node.content, "paths are relative to the folder of this file");
    }
    return whole;
  }

  fs::path folder_;
};

}  // namespace

RunConfig load_run_config(const fs::path& file) {
  return parse_run_config(read_file(file), file);
}

RunConfig parse_run_config(const std::string& text, const fs::path& file) {
  return Reader(file).config(parse_yaml(text, display_path(file)));
}

}  // namespace warpmark
