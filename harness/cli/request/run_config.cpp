#include "cli/request/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/characters.hpp"
#include "base/file.hpp"
#include "base/record_table.hpp"
#include "cli/request/job_options.hpp"
#include "suite/suite_reader.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAboutRuns =
    "The jobs of `warpmark run`. Paths are relative to the folder of the file; options on the "
    "command line override those of the file.";
constexpr const char* kAboutCheck =
    "Run the cases of suites and compare them with their references: one job, or a list of named "
    "jobs, which run one after another.";
constexpr const char* kAboutBench =
    "Measure how long cases with right results take: one job, or a list of named jobs.";

// The keys of the file, each with its schema, which the reader takes them from, too.
RecordJson file_keys() {
  RecordJson keys = {
      {"warpmark", {{"description", "The version of this format."}, {"enum", {1, "1"}}}},
      {"about",
       {{"description", "One sentence for people."},
        {"type", {"string", "number", "boolean"}},
        {"not", {{"const", ""}}}}}};
  for (const JobKind kind : {JobKind::check, JobKind::bench}) {
    const std::string section(to_text(kind));
    const RecordJson reference = {{"$ref", "#/definitions/" + section}};
    const RecordJson named = {{"allOf", {reference, {{"required", {"name"}}}}}};
    keys[section] = {
        {"description", kind == JobKind::check ? kAboutCheck : kAboutBench},
        {"oneOf", {reference, {{"type", "array"}, {"minItems", 1}, {"items", named}}}}};
  }
  return keys;
}

class Reader {
 public:
  explicit Reader(const fs::path& file) : folder_(fs::absolute(file).parent_path()) {}

  RunConfig config(const YamlNode& root) {
    if (const YamlNode* kernel = root.find("kernel")) {
      throw usage_error("this is a suite, and no run configuration", kernel->where,
                        "`warpmark check` and `warpmark bench` take suites");
    }
    std::vector<std::string> keys;
    const RecordJson known = file_keys();
    for (const auto& [key, schema] : known.items()) keys.push_back(key);
    require_map(root, "a run configuration", keys);
    require_format_version(root);
    RunConfig config;
    if (const YamlNode* about = root.find("about"))
      config.about = read_text(*about, "`about`").text;
    for (const YamlMember& member : root.members) {  // in the file's order
      for (const JobKind kind : {JobKind::check, JobKind::bench}) {
        if (member.key == to_text(kind)) jobs(member.value, kind, config);
      }
    }
    if (config.jobs.empty()) {
      throw usage_error("the run configuration has nothing to do", root.where,
                        "add `check: {suites: [...]}`, or `bench`");
    }
    return config;
  }

 private:
  void jobs(const YamlNode& section, JobKind kind, RunConfig& config) {
    const std::string name(to_text(kind));
    if (section.kind != YamlNode::Kind::list) {
      add(job(section, kind, "`" + name + "`", name), config);
      return;
    }
    require_list(section, "`" + name + "`");
    for (const YamlNode& element : section.elements) {
      add(job(element, kind, "a job of `" + name + "`", ""), config);
    }
  }

  // A job in a list needs a name: its number would change when another is put before it.
  RunJob job(const YamlNode& node, JobKind kind, const std::string& what, const std::string& name) {
    std::vector<std::string> keys = {"name"};
    for (const JobOption& option : job_options()) {
      if (option.is_for(kind) && option.is_key()) keys.emplace_back(option.key);
    }
    require_map(node, what, keys);
    RunJob one;
    one.where = node.where;
    one.name = name;
    one.request.kind = kind;
    if (const YamlNode* own = node.find("name")) one.name = read_job_name(*own);
    if (one.name.empty()) {
      throw usage_error(what + " needs `name`", node.where, "as in `- name: quick`");
    }
    if (node.find("suites") == nullptr) {
      throw usage_error(what + " needs `suites`", node.where,
                        "a list of suite files and folders, relative to this file");
    }
    // In the table's order, in which options of the command line are read, too.
    for (const JobOption& option : job_options()) {
      const YamlNode* value = option.is_key() ? node.find(option.key) : nullptr;
      if (value != nullptr) read_option(option, *value, folder_, one.request);
    }
    claim(node, "journal", one.request.journal);
    claim(node, node.find("junit") != nullptr ? "junit" : "formats", one.request.formats.junit);
    for (const ProblemOutput& output : one.request.formats.outputs) {
      claim(node, "formats", output.file);
    }
    claim(node, "benchmark_out", one.request.google_benchmark);
    claim(node, "keep", one.request.keep);
    return one;
  }

  static std::string read_job_name(const YamlNode& node) {
    const Located name = read_text(node, "`name`");
    const bool fits = std::ranges::all_of(
        name.text, [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
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

RecordJson run_config_schema() {
  RecordJson definitions, some_job = RecordJson::array();
  for (const JobKind kind : {JobKind::check, JobKind::bench}) {
    const std::string section(to_text(kind));
    some_job.push_back({{"required", {section}}});
    RecordJson keys = {
        {"name",
         {{"description", "The name of the job, unique in the file; default `" + section + "`."},
          {"type", "string"},
          {"pattern", "^[A-Za-z0-9_.][A-Za-z0-9_.-]*$"}}}};
    for (const JobOption& option : job_options()) {
      if (option.is_for(kind) && option.is_key()) keys[option.key] = option.schema(kind);
    }
    definitions[section] = {{"type", "object"},
                            {"required", {"suites"}},
                            {"additionalProperties", false},
                            {"properties", std::move(keys)}};
  }
  return schema_document("run", "Warpmark run configuration", kAboutRuns,
                         {{"type", "object"},
                          {"required", {"warpmark"}},
                          {"anyOf", std::move(some_job)},
                          {"additionalProperties", false},
                          {"properties", file_keys()},
                          {"definitions", std::move(definitions)}});
}

}  // namespace warpmark
