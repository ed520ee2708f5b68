#include "cli/completion/completion_values.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "cli/draft/examples.hpp"
#include "cli/program/device_survey.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/run_config.hpp"
#include "cli/request/suites.hpp"
#include "report/problems/annotations.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Folders end in a slash, so that the shell goes on from there.
std::vector<std::string> files(const std::string& current, const std::string& extension) {
  const size_t slash = current.rfind('/');
  const std::string head = slash == std::string::npos ? "" : current.substr(0, slash + 1);
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(head.empty() ? fs::path(".") : fs::path(head), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    const bool hidden = name[0] == '.' && !current.substr(head.size()).starts_with(".");
    std::error_code ignored;
    if (hidden) continue;
    if (entry->is_directory(ignored)) {
      found.push_back(head + name + "/");
    } else if (extension != "/" && (extension.empty() || entry->path().extension() == extension)) {
      found.push_back(head + name);
    }
  }
  return found;
}

// Loads the suites that the words before the cursor name, or those of the default folder.
std::vector<LoadedSuite> suites_of(const CursorLine& line, LazyPython& python) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (size_t i = 2; i < line.words.size(); ++i) {
    if (!line.words[i].starts_with("-") && fs::exists(line.words[i], ignored)) {
      paths.emplace_back(line.words[i]);
    }
  }
  return load_suites(paths, python.list_evaluator());
}

std::vector<std::string> case_ids(const CursorLine& line) {
  LazyPython python;
  std::vector<std::string> ids;
  const bool bench = line.words.size() > 1 && line.words[1] == "bench";
  for (const LoadedSuite& one : suites_of(line, python)) {
    const std::vector<Case> all =
        bench ? cases(one.suite, python.list_evaluator(), Purpose::bench) : one.cases;
    for (const Case& which : all) ids.push_back(which.id);
  }
  return ids;
}

std::vector<std::string> suite_names(const CursorLine& line) {
  LazyPython python;
  std::vector<std::string> names;
  for (const LoadedSuite& one : suites_of(line, python)) names.push_back(one.suite->name);
  return names;
}

std::vector<std::string> axis_names(const CursorLine& line) {
  LazyPython python;
  std::vector<std::string> names;
  for (const LoadedSuite& one : suites_of(line, python)) {
    for (const Axis& axis : one.suite->axes) names.push_back(axis.name + "=");
  }
  return names;
}

// The time that a user who pressed the tab key is willing to wait.
constexpr double kPatienceS = 5;

std::vector<std::string> devices() {
  std::vector<std::string> names = {"auto"};
  for (const FoundDevice& found : survey_devices(kPatienceS).devices) {
    names.push_back(found.kind);
    names.push_back(found.kind + ":" + std::to_string(found.device.index()));
  }
  return names;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const Example& one : examples(own_places().data)) names.push_back(one.name);
  return names;
}

std::vector<std::string> jobs(const CursorLine& line) {
  std::vector<std::string> names;
  for (size_t i = 2; i < line.words.size(); ++i) {
    if (!line.words[i].ends_with(".yaml")) continue;
    for (const RunJob& job : load_run_config(line.words[i]).jobs) names.push_back(job.name);
  }
  return names;
}

std::vector<std::string> failing_words(const CursorLine& line) {
  const std::string command = line.words.size() > 1 ? line.words[1] : "";
  if (command == "check" || command == "watch") return {"notices", "skipped"};
  std::vector<std::string> words = {"added", "faster", "inconclusive", "missing"};
  if (command != "compare") words.insert(words.end(), {"notices", "skipped"});
  return words;
}

std::vector<std::string> values(const std::string& argument, const CursorLine& line) {
  const size_t equals = line.current.find('=');
  const bool joined = line.current.starts_with("--") && equals != std::string::npos;
  const std::string current = joined ? line.current.substr(equals + 1) : line.current;
  if (argument == "PATHS" || argument == "CONFIG" || argument == "ASSIGNMENT") {
    return files(current, ".yaml");
  }
  if (argument == "RESULT") return files(current, ".jsonl");
  if (argument == "FILE") return files(current, ".cu");
  if (argument == "--output") return files(current, "/");
  if (argument == "SHELL") return {"bash", "fish", "zsh"};
  if (argument == "EXAMPLE") return example_names();
  if (argument == "SCHEMA") return schema_names(own_places().schemas);
  if (argument == "--case") return case_ids(line);
  if (argument == "--select") return suite_names(line);
  if (argument == "--axis") return axis_names(line);
  if (argument == "--device") return devices();
  if (argument == "--job") return jobs(line);
  if (argument == "--annotations") return annotation_words();
  if (argument == "--fail-on") return failing_words(line);
  if (argument == "--cache") return {"both", "cold", "hot"};
  if (argument == "--journal" || argument == "--junit" || argument == "--benchmark-out") {
    return files(current, "");
  }
  if (argument == "--keep") return files(current, "/");
  return {};
}

}  // namespace

std::vector<std::string> completion_values(const std::string& argument, const CursorLine& line) {
  try {
    return values(argument, line);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace warpmark
