#include "grade/assignment/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "grade/assignment/assignment_cases.hpp"
#include "grade/assignment/assignment_credit.hpp"
#include "grade/assignment/assignment_keys.hpp"
#include "grade/assignment/assignment_reader.hpp"
#include "results/run_context.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

// The headers that lecture notes on CUDA include, as far as the compiler finds them without a host
// compiler.
const std::vector<std::string>& default_toolkit_headers() {
  static const std::vector<std::string> kHeaders = {"cuda_runtime.h",
                                                    "cuda_runtime_api.h",
                                                    "cuda/atomic",
                                                    "cuda/barrier",
                                                    "cuda/pipeline",
                                                    "device_launch_parameters.h",
                                                    "vector_types.h",
                                                    "vector_functions.h",
                                                    "cuda_fp16.h",
                                                    "cuda_bf16.h",
                                                    "cooperative_groups.h",
                                                    "cooperative_groups/reduce.h",
                                                    "cooperative_groups/scan.h",
                                                    "cooperative_groups/memcpy_async.h",
                                                    "cuda_pipeline.h",
                                                    "mma.h",
                                                    "math_constants.h"};
  return kHeaders;
}

std::vector<std::string> SubmissionRules::files() const {
  std::vector<std::string> all = {file};
  all.insert(all.end(), further_files.begin(), further_files.end());
  return all;
}

const std::string& Assignment::file_of(const Suite& suite) const {
  for (size_t i = 0; i < suite_files.size(); ++i) {
    if (suites[i]->file == suite.file) return suite_files[i];
  }
  return submission.file;
}

std::vector<std::filesystem::path> Assignment::files_of(const SelfTest& test) {
  if (!std::filesystem::is_directory(test.file)) return {test.file};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test.file)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

double Assignment::max_points() const {
  double sum = 0;
  for (const AssignmentCase& one : cases) sum += one.extra ? 0 : one.points;
  return sum;
}

void require_whole(const Assignment& assignment) {
  if (!assignment.handout) return;
  throw usage_error("this is what students got: it has no hidden case, and no solution",
                    assignment.where, "grade with the assignment that it was made from");
}

void require_version(const Assignment& assignment) {
  const std::optional<Located>& wanted = assignment.made_with;
  if (!wanted || wanted->text == warpmark_version()) return;
  throw Error(
      ExitCode::environment,
      fmt::format("the assignment is made with Warpmark {}, and this is {}",
                  printable(wanted->text), warpmark_version()),
      wanted->where,
      "verdicts may differ: `warpmark grade --lint` tries the self-test with this version; then "
      "change `made_with`");
}

namespace fs = std::filesystem;

namespace {

HandoutStore read_store(const YamlNode& node, const Assignment& assignment) {
  const fs::path file = read_file_name(node, "`handout`", assignment.folder);
  HandoutStore store = read_handout_store(file);
  for (const AssignmentCase& one : assignment.cases) {
    for (const Case& item : one.items) {
      if (store.items.contains(item.id)) continue;
      throw usage_error(fmt::format("{} has nothing of `{}`", display_path(file), item.id),
                        one.where, "it was made for other cases: get the folder again");
    }
  }
  return store;
}

const YamlNode& required(const YamlNode& root, const char* key, const char* hint) {
  const YamlNode* node = root.find(key);
  if (node == nullptr) throw usage_error(fmt::format("`{}` is missing", key), root.where, hint);
  return *node;
}

void check_sum(const YamlNode& node, const Assignment& assignment) {
  const double said = assignment_keys().form("points").read_number(node, "`points`");
  const double sum = assignment.max_points();
  if (std::abs(sum - said) <= 1e-9 * said) return;
  throw usage_error(
      fmt::format("the points of the cases add up to {:.10g}, and `points` is {:.10g}", sum, said),
      node.content, "change one of them, or leave `points` out");
}

// Hashes the files of an assignment except its own, under names that do not depend on the machine.
void add_files(Sha256& hash, const Assignment& assignment) {
  std::set<fs::path> seen;
  const auto add = [&](const fs::path& file) {
    if (!seen.insert(file).second) return;
    hash.add_field(file.lexically_relative(assignment.folder).generic_string());
    hash.add_field(read_file(file));
  };
  for (const auto& suite : assignment.suites) {
    add(suite->file);
    for (const Kernel* kernel : kernels(*suite)) {
      if (kernel->file) add((suite->folder / kernel->file->text).lexically_normal());
    }
    for (const Located& file : step_files(*suite)) {
      add((suite->folder / file.text).lexically_normal());
    }
    for (const std::string& file : python_files(*suite)) {
      add((suite->folder / file).lexically_normal());
    }
  }
  for (const fs::path& header : assignment.submission.headers) add(header);
}

std::string hash_of(const std::string& text, const Assignment& assignment) {
  Sha256 hash;
  hash.add_field("warpmark assignment 1").add_field(assignment.file.filename().string());
  hash.add_field(text);
  add_files(hash, assignment);
  return hash.finish_hex();
}

// The values of an item's axes, which its id may have labels for.
std::string values_of(const Case& item) {
  try {
    return case_document(item).json.dump();
  } catch (const Error&) {
    return "";  // it fails the same way when it is graded
  }
}

// Hashes the requirements that rules of points have for each run, if any. The number of points is
// left out, since it may change.
void add_credit(Sha256& hash, const Assignment& assignment) {
  if (assignment.trials.drop > 0) {
    hash.add_field(fmt::format("drop {}", assignment.trials.drop));
    for (const GradeWord word : assignment.trials.words) hash.add_field(to_text(word));
  }
  for (const AssignmentCase& one : assignment.cases) {
    if (one.credit == Credit::degree) {
      hash.add_field(fmt::format("degree {} {}", one.name, to_text(one.degree_of)));
    }
    if (!one.performance) continue;
    hash.add_field("performance " + one.name);
    for (const std::string& counter : one.performance->counters) hash.add_field(counter);
  }
}

// Hashes the parts that decide the word of an item and the texts for its student. Points and other
// texts may change without a new run of a kernel.
std::string verdict_hash_of(const Assignment& assignment) {
  Sha256 hash;
  hash.add_field("warpmark verdicts 1").add_field(assignment.file.filename().string());
  hash.add_field(assignment.id);
  const SubmissionRules& rules = assignment.submission;
  hash.add_field(rules.file).add_field(std::to_string(rules.max_bytes));
  for (const std::string& header : rules.toolkit_headers) hash.add_field("header " + header);
  hash.add_field(std::to_string(assignment.trials.count));
  add_credit(hash, assignment);
  // The default is left out, so that older hashes stay valid and nothing is graded again.
  if (rules.own_headers != SubmissionRules::kOwnHeaders) {
    hash.add_field(fmt::format("own headers {}", rules.own_headers));
  }
  if (rules.accepts_ptx) hash.add_field("accepts ptx");
  if (rules.accepts_host_code) hash.add_field("accepts host code");
  for (size_t i = 0; i < assignment.suite_files.size(); ++i) {
    hash.add_field("file " + assignment.suite_files[i]).add_field(assignment.suites[i]->name);
  }
  for (const Located& name : assignment.ptx.forbid) hash.add_field("forbid " + name.text);
  for (const Located& name : assignment.ptx.flag) hash.add_field("flag " + name.text);
  const GradeLimits& limits = assignment.limits;
  hash.add_field(fmt::format("{} {} {} {} {} {}", limits.instructions, limits.timeout_s,
                             limits.compile_cpu_s, limits.compile_s, limits.compile_mib,
                             limits.memory_mib));
  if (limits.gives_instructions && limits.instructions == GradeLimits().instructions)
    hash.add_field("gives instructions");
  if (limits.total_s != GradeLimits().total_s)
    hash.add_field(fmt::format("total {}", limits.total_s));
  for (const AssignmentCase& one : assignment.cases) {
    for (const Case& item : one.items) {
      hash.add_field(to_text(one.visibility)).add_field(item.id);
      hash.add_field(values_of(item));
    }
  }
  add_files(hash, assignment);
  return hash.finish_hex();
}

// A file in Python is for a suite whose kernel is, and no other.
void check_language(const SubmissionRules& rules, const Suite& suite) {
  const bool python = fs::path(suite.kernel.file->text).extension() == ".py";
  if (rules.file.ends_with(".py") == python) return;
  throw usage_error(fmt::format("`{}` is no name for a file with a kernel as that of `{}`",
                                rules.file, suite.kernel.file->text),
                    rules.where, python ? "it ends in .py" : "it ends in .cu");
}

// Reads `suite` or `suites`, and the names of students' files.
void read_suites(const YamlNode& root, AssignmentCaseReader& reader, Assignment& into) {
  const YamlNode* list = root.find("suites");
  SubmissionRules& rules = into.submission;
  if (list == nullptr) {
    reader.read_suite(required(root, "suite", "the file of a suite, relative to this one"));
    if (!rules.file.empty()) return check_language(rules, *reader.suites().front());
    const Located& kernel = *reader.suites().front()->kernel.file;
    rules.file = fs::path(kernel.text).filename().string();
    return;
  }
  if (const YamlNode* one = root.find("suite")) {
    throw usage_error("`suite` and `suites` are both here", one->where,
                      "`suites` lists those of an assignment of several kernels");
  }
  reader.read_suites(*list, rules.file);
  into.suite_files = reader.suite_files();
  into.templates = reader.templates();
  rules.file = into.suite_files.front();
  for (const std::string& name : into.suite_files) {
    const std::vector<std::string> known = rules.files();
    if (std::ranges::find(known, name) == known.end()) rules.further_files.push_back(name);
  }
}

void read_one_template(const YamlNode& node, Assignment& into) {
  const Located text = read_template(node, into.folder);
  if (into.submission.several() || !into.templates.empty()) {
    throw usage_error("`template` is for an assignment of one file", node.where,
                      "give each of `suites` its own, as in {suite: FILE, template: FILE}");
  }
  into.templates.emplace(into.submission.file, text);
}

// Checks that each listed suite has a case: without one its file would be handed in for nothing.
void check_suites(const YamlNode& root, const Assignment& assignment) {
  for (const auto& suite : assignment.suites) {
    const bool used = std::ranges::any_of(assignment.cases, [&](const AssignmentCase& one) {
      return one.items.front().suite->file == suite->file;
    });
    if (used) continue;
    throw usage_error(fmt::format("no case is of the suite `{}`", suite->name),
                      root.find("suites")->where, "add one, or leave the suite out");
  }
}

}  // namespace

std::shared_ptr<const Assignment> parse_assignment(const std::string& text, const fs::path& file,
                                                   const ListEvaluator& python) {
  auto assignment = std::make_shared<Assignment>();
  Assignment& into = *assignment;
  into.file = fs::absolute(file).lexically_normal();
  into.folder = into.file.parent_path();
  const YamlNode root = parse_yaml(text, display_path(into.file));
  into.where = root.where;
  require_named_map(root, "an assignment");
  for (const YamlMember& member : root.members) {
    if (member.key != "kernel") continue;
    throw usage_error("an assignment describes no kernel", member.where,
                      "a suite does, and `suite: FILE` names it");
  }
  require_map(root, "an assignment", assignment_keys().names());
  require_format_version(root);
  into.id = read_assignment_id(required(root, "assignment", "its short name, as in double-it"));
  const YamlNode* title = root.find("title");
  into.title = title != nullptr ? read_line(*title, "`title`") : into.id;
  if (const YamlNode* about = root.find("about"))
    into.about = printable(read_text(*about, "`about`").text);
  if (const YamlNode* version = root.find("made_with"))
    into.made_with = read_text(*version, "`made_with`");
  AssignmentCaseReader reader(into.folder, python);
  into.submission.where = root.where;
  into.submission.toolkit_headers = default_toolkit_headers();
  if (const YamlNode* submission = root.find("submission")) {
    into.submission = read_submission(*submission, into.folder);
  }
  read_suites(root, reader, into);
  if (const YamlNode* trials = root.find("trials")) {
    into.trials = read_trials(*trials);
  }
  into.cases = reader.read_cases(required(root, "cases", "what is graded, for how many points"));
  into.suites = reader.suites();
  if (!into.suite_files.empty()) check_suites(root, into);
  if (const YamlNode* points = root.find("points")) check_sum(*points, into);
  into.late = read_late_policy(root.find("due"), root.find("late"));
  if (const YamlNode* board = root.find("leaderboard")) {
    into.leaderboard = read_leaderboard(*board, into.cases);
  }
  if (const YamlNode* ptx = root.find("ptx")) into.ptx = read_ptx_policy(*ptx);
  if (const YamlNode* limits = root.find("limits")) into.limits = read_grade_limits(*limits);
  if (const YamlNode* fixed = root.find("fixed")) into.fixed = read_fixed(*fixed, into.suites);
  if (const YamlNode* tests = root.find("self_test")) {
    into.self_tests = read_self_test(*tests, into.folder, into.cases);
  }
  if (const YamlNode* start = root.find("template")) read_one_template(*start, into);
  if (const YamlNode* store = root.find("handout")) into.handout = read_store(*store, into);
  into.sha256 = hash_of(text, into);
  into.verdict_sha256 = verdict_hash_of(into);
  return assignment;
}

std::shared_ptr<const Assignment> load_assignment(const fs::path& file,
                                                  const ListEvaluator& python) {
  return parse_assignment(read_file(file), file, python);
}

}  // namespace warpmark
