#include "cli/lint/lint_job.hpp"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/lint/mutant_lint.hpp"
#include "cli/program/command_line.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/suites.hpp"

namespace warpmark {
namespace {

nlohmann::ordered_json as_json(const Error& error) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const Position& where = error.where();
  if (where.known()) json["file"] = where.file;
  if (where.line > 0) json["line"] = where.line;
  if (where.column > 0) json["column"] = where.column;
  json["message"] = error.message();
  if (!error.hint().empty()) json["hint"] = error.hint();
  return json;
}

void print_json(const Linter& linter, const MutantFindings* mutants, size_t suites, Output& out) {
  nlohmann::ordered_json whole = {{"warpmark", 1},
                                  {"suites", suites},
                                  {"cases", linter.cases()},
                                  {"problems", nlohmann::ordered_json::array()}};
  for (const Error& problem : linter.problems()) whole["problems"].push_back(as_json(problem));
  for (const Error& warning : linter.warnings()) whole["warnings"].push_back(as_json(warning));
  if (!linter.tolerances().empty()) whole["tolerances"] = linter.tolerances();
  if (mutants != nullptr) whole["mutants"] = mutants->json();
  if (linter.failure()) whole["unchecked"] = as_json(*linter.failure());
  out.write(json_document(whole));
}

std::vector<Problem> found_by(const Linter& linter) {
  std::vector<Problem> found;
  for (const Error& problem : linter.problems()) found.push_back(problem_of(problem, "lint"));
  for (const Error& warning : linter.warnings()) {
    found.push_back(problem_of(warning, "lint", true));
  }
  return found;
}

void write_found(const LintRequest& request, const Linter& linter,
                 const std::vector<Problem>& found) {
  ProblemRun run;
  run.verb = "lint";
  run.command = command_line();
  run.date = utc_date();
  run.exit_code = static_cast<int>(linter.problems().empty() ? ExitCode::success : ExitCode::usage);
  if (linter.failure()) {
    run.error = linter.failure()->message();
    run.exit_code = static_cast<int>(linter.failure()->code());
  }
  write_problems(request.formats, found, run);
}

// A suite with problems has no right kernel.
std::optional<MutantFindings> run_mutants(MutantLint& mutants, Linter& linter) {
  if (!linter.problems().empty() || linter.failure()) return std::nullopt;
  try {
    MutantFindings found = mutants.run();
    for (const Error& problem : found.problems) linter.add(problem);
    for (const Error& warning : found.warnings) linter.warn(warning);
    return found;
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    linter.fail(error);
    return std::nullopt;
  }
}

void require_launches(const LintRequest& request) {
  if (!request.options.is_static) return;
  for (const auto& [given, name] :
       {std::pair(request.options.coverage, "--coverage"), std::pair(request.mutate, "--mutate")}) {
    if (given)
      throw usage_error(fmt::format("{} launches kernels, and --static wants none launched", name));
  }
}

}  // namespace

ExitCode lint(LintRequest& request, Output& out) {
  request.formats = formats_given(request.format_texts, "", request.annotation_text);
  const bool annotate = wants_annotations(request.formats.annotations, request.json);
  if (annotate) out.write_for_runner();
  require_launches(request);
  const FoundSuites suites = suite_files(request.paths);
  if (suites.files.empty() && suites.bad.size() == 1) throw suites.bad.front().error;
  LazyPython python;
  // Processes are forked before this one has threads.
  std::optional<MutantLint> mutants;
  if (request.mutate) {
    mutants.emplace(mutation_work(suites.files, python),
                    MutationOptions{request.mutants, request.options.session}, request.jobs,
                    python);
  }
  Linter linter(request.options, python);
  for (const BadSuite& bad : suites.bad) linter.suite(bad);
  const std::vector<std::filesystem::path>& files = suites.files;
  require_kept(files_of(request.formats), files);
  for (const std::filesystem::path& file : files) linter.suite(file);
  linter.end();
  std::optional<MutantFindings> mutated;
  if (mutants) mutated = run_mutants(*mutants, linter);
  std::vector<Problem> problems_found = found_by(linter);
  write_found(request, linter, problems_found);
  if (annotate) {
    // With JSON the failure is not thrown.
    if (request.json && linter.failure()) {
      problems_found.push_back(problem_of(*linter.failure(), "error"));
    }
    write_annotations(std::cerr, problems_found);
  }
  if (request.json) {
    print_json(linter, mutated ? &*mutated : nullptr, files.size(), out);
    if (linter.failure()) return linter.failure()->code();
    return linter.problems().empty() ? ExitCode::success : ExitCode::usage;
  }
  for (const Error& problem : linter.problems()) print_error(out, problem.what());
  for (const Error& warning : linter.warnings()) print_error(out, warning_text(warning));
  for (const std::string& line : linter.tolerances()) out.print("{}\n", line);
  if (mutated) {
    for (const std::string& line : mutated->summaries()) out.print("{}\n", line);
  }
  const size_t problems = linter.problems().size(), warnings = linter.warnings().size();
  std::string found = problems == 0 ? "no problems" : counted(problems, "problem");
  if (warnings > 0) found += ", " + counted(warnings, "warning");
  if (const auto& failure = linter.failure()) {
    // A suite that could not be checked must not look as if it were good.
    out.print("{}, {}: {}, and not all could be checked\n", counted(files.size(), "suite"),
              counted(linter.cases(), "case"), found);
    throw Error(failure->code(), failure->message(), failure->where(),
                request.options.is_static
                    ? failure->hint()
                    : failure->hint() + (failure->hint().empty() ? "" : "; ") +
                          "`warpmark lint --static` checks what needs neither compiler nor NumPy");
  }
  out.print("{}, {}: {}\n", counted(files.size(), "suite"), counted(linter.cases(), "case"), found);
  return problems == 0 ? ExitCode::success : ExitCode::usage;
}

}  // namespace warpmark
