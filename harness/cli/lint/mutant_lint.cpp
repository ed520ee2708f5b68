#include "cli/lint/mutant_lint.hpp"

#include <set>
#include <utility>

#include "suite/suite.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {

namespace {

// Exceptions of mutants that are not there, or die.
void add_needless(const MutationWork& work, const SuiteMutants& found,
                  std::vector<Error>& problems) {
  if (found.left_out > 0 || !found.note.empty() || found.refusal) return;
  std::set<std::string> needed;
  for (const NamedMutant& one : found.accepted) needed.insert(one.after);
  for (const LintException& rule : work.suite->lint) {
    for (const auto& one : rule.mutants) {
      if (needed.contains(one.line)) continue;
      problems.push_back(
          usage_error("no mutant of this line lives", one.where, "leave the exception out"));
    }
  }
}

nlohmann::ordered_json json_of(const NamedMutant& one) {
  nlohmann::ordered_json json = {{"file", one.where.file}, {"line", one.where.line}};
  if (one.where.column > 0) json["column"] = one.where.column;
  json["before"] = one.before;
  json["after"] = one.after;
  return json;
}

}  // namespace

std::vector<std::string> MutantFindings::summaries() const {
  std::vector<std::string> lines;
  for (const SuiteMutants& one : suites) {
    if (!one.refusal) lines.push_back(summary_of(one));
  }
  return lines;
}

nlohmann::ordered_json MutantFindings::json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SuiteMutants& one : suites) {
    if (one.refusal) continue;
    nlohmann::ordered_json suite = {{"suite", one.suite}};
    if (!one.note.empty()) suite["note"] = one.note;
    suite["killed"] = one.killed.size();
    suite["equivalent"] = one.equivalent;
    suite["accepted"] = one.accepted.size();
    suite["not_executed"] = one.not_executed.size();
    suite["left_out"] = one.left_out;
    suite["live"] = nlohmann::ordered_json::array();
    for (const LiveMutant& live : one.live) {
      nlohmann::ordered_json mutant = json_of(live.mutant);
      mutant["reason"] = live.reason;
      if (!live.killer.empty()) mutant["killed_by"] = live.killer;
      suite["live"].push_back(std::move(mutant));
    }
    all.push_back(std::move(suite));
  }
  return all;
}

std::vector<MutationWork> mutation_work(const std::vector<std::filesystem::path>& files,
                                        LazyPython& python) {
  std::vector<MutationWork> work;
  for (const std::filesystem::path& file : files) {
    try {
      MutationWork one;
      one.suite = load_suite(file);
      one.cases = cases(one.suite, python.list_evaluator());
      work.push_back(std::move(one));
    } catch (const Error&) {
      // The linter reports it.
    }
  }
  return work;
}

MutantLint::MutantLint(std::vector<MutationWork> work, const MutationOptions& options, size_t jobs,
                       LazyPython& python)
    : work_(std::move(work)),
      lanes_(work_, options, jobs == 0 ? usable_processors() : jobs,
             python.started() ? &python.interpreter() : nullptr,
             [&python]() -> Interpreter& { return python.interpreter(); }) {}

MutantFindings MutantLint::run() {
  MutantFindings findings;
  findings.suites = lanes_.run();
  for (size_t i = 0; i < work_.size(); ++i) {
    const SuiteMutants& one = findings.suites[i];
    if (one.refusal) findings.problems.push_back(*one.refusal);
    add_needless(work_[i], one, findings.problems);
  }
  for (Error& warning : mutant_warnings(findings.suites))
    findings.warnings.push_back(std::move(warning));
  return findings;
}

}  // namespace warpmark
