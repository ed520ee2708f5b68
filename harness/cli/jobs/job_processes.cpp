#include "cli/jobs/job_processes.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "jobs/program_process.hpp"
#include "report/run/junit_part.hpp"
#include "results/exit_code.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Options in front of it select jobs, too: the last word is this one's.
std::vector<std::string> arguments_of(const std::string& job, const std::string& draft) {
  std::vector<std::string> arguments;
  const std::vector<std::string> own = own_arguments();
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == "--job") {
      ++i;
    } else if (!own[i].starts_with("--job=")) {
      arguments.push_back(own[i]);
    }
  }
  arguments.push_back("--part=" + draft);
  arguments.push_back("--job=" + job);
  return arguments;
}

// Jobs add their runs to it.
void empty_journal(const std::filesystem::path& journal) {
  require_writable(journal);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(journal, ignored)) write_file_atomically(journal, "");
}

using JobReports = std::vector<std::pair<std::string, JunitDocument>>;

// Returns the report that a job left in the draft, or else one that says how the job ended.
JunitDocument take_report(const std::string& job, ExitCode code, const fs::path& draft) {
  JunitDocument document;
  std::error_code ignored;
  if (fs::exists(draft, ignored)) {
    document = read_junit_part(draft);
    fs::remove(draft, ignored);
  } else if (code == ExitCode::skipped) {
    document.add_own(job, JunitCase::Result::skipped, "skipped");
  } else {
    document.add_own(
        job, JunitCase::Result::error,
        fmt::format("the job ended with exit code {} and left no report", static_cast<int>(code)));
  }
  return document;
}

// A test suite that two jobs have is called JOB/SUITE, so that none of their tests can be taken for
// another.
JunitDocument combined(const JobReports& jobs) {
  std::map<std::string, std::set<std::string>> owners;
  for (const auto& [job, document] : jobs) {
    for (const JunitSuite& suite : document.suites) owners[suite.name].insert(job);
  }
  JunitDocument whole;
  for (const auto& [job, document] : jobs) {
    for (const JunitSuite& suite : document.suites) {
      JunitSuite& added = whole.suites.emplace_back(suite);
      if (owners[suite.name].size() > 1) added.name = added.class_name = job + "/" + suite.name;
    }
  }
  return whole;
}

}  // namespace

ExitCode run_job_processes(const std::vector<std::string>& names, const SharedFiles& shared,
                           Output& out) {
  std::optional<TemporaryFolder> folder;
  fs::path draft;
  if (!shared.junit.empty()) {
    require_writable(shared.junit);
    draft = folder.emplace("warpmark-jobs").path() / "junit.xml";
  }
  if (!shared.journal.empty()) empty_journal(shared.journal);
  ProgramProcess process;  // a job finishes its reports when it is interrupted
  ExitCode whole = ExitCode::success;
  JobReports reports;
  for (const std::string& name : names) {
    JunitDocument report;
    if (process.guard().interrupted()) {
      out.print("\njob {} is not run\n", name);
      whole = graver(whole, process.guard().exit_code());
      report.add_own(name, JunitCase::Result::skipped, "interrupted before this job");
    } else {
      const ExitCode code =
          process.run(arguments_of(name, draft.empty() ? kNoDraft : draft.string()));
      whole = graver(whole, code);
      if (!draft.empty()) report = take_report(name, code, draft);
    }
    reports.emplace_back(name, std::move(report));
    if (!draft.empty()) write_file_atomically(shared.junit, junit_text(combined(reports)));
  }
  return whole;
}

}  // namespace warpmark
