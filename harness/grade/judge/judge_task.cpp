#include "grade/judge/judge_task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Sizes of what models write: longer than what students do, with more variants in one file.
constexpr uint64_t kMostKib = 256;
constexpr int kMostCompileS = 240;  ///< by the clock

bool is_assignment_file(const fs::path& file) {
  const YamlNode node = parse_yaml(read_file(file), display_path(file));
  return node.kind == YamlNode::Kind::map && node.find("assignment") != nullptr;
}

// A file's name without what an assignment's name cannot have.
std::string name_of(const fs::path& file) {
  std::string name = file.stem().string();
  if (name == "suite" && file.has_parent_path()) name = file.parent_path().filename().string();
  std::ranges::replace_if(
      name,
      [](char c) {
        const bool kept = is_word_character(c) || c == '-';
        return !kept;
      },
      '-');
  return name.empty() ? "task" : name;
}

// JSON is YAML. Each case of the suite is one of the items.
Json assignment_of(const fs::path& suite, const fs::path& folder, const JudgeTaskOptions& options) {
  Json whole = {{"name", "all"}, {"points", 1}, {"visibility", "hidden"}};
  if (options.speed == std::vector<std::string>{"gpu"}) {
    whole["performance"] = {{"by", "gpu"}, {"full", 1}, {"zero", 2}};
  } else if (!options.speed.empty()) {
    whole["performance"] = {
        {"by", "counters"}, {"counters", options.speed}, {"full", 1}, {"zero", 2}};
  }
  std::vector<std::string> headers = default_toolkit_headers();
  for (const char* further : {"cub/cub.cuh", "cuComplex.h"}) headers.emplace_back(further);
  Json accepted = {"host_code"};
  if (options.ptx) accepted.push_back("ptx");
  return {
      {"warpmark", 1},
      {"assignment", name_of(suite)},
      {"suite", fs::relative(suite, folder).string()},
      {"submission", {{"max_kib", kMostKib}, {"accept", accepted}, {"toolkit_headers", headers}}},
      {"trials", options.trials},
      // Processor time is what a compile is held to: a busy judge must not cost a candidate anything.
      {"limits", {{"compile_s", kMostCompileS}}},
      {"cases", {whole}},
      {"ptx",
       {{"flag",
         {"vprintf", "malloc", "%clock", "%clock64", "%globaltimer", "%gridid", "%smid", "%nsmid",
          "tanh.approx", "sin.approx", "cos.approx", "writable_globals", "entries"}}}}};
}

}  // namespace

JudgeTask::JudgeTask(const fs::path& file, const JudgeTaskOptions& options,
                     const ListEvaluator& python) {
  if (is_assignment_file(file)) {
    assignment_ = load_assignment(file, python);
    return;
  }
  folder_ = std::make_unique<TemporaryFolder>("warpmark-judge");
  const fs::path made = folder_->path() / "task.yaml";
  write_file_atomically(made, assignment_of(file, folder_->path(), options).dump(1));
  try {
    assignment_ = load_assignment(made, python);
  } catch (const Error& error) {
    // A place in the temporary file helps nobody.
    if (error.where().file != display_path(made)) throw;
    throw Error(error.code(), error.message(), {}, error.hint());
  }
}

}  // namespace warpmark
