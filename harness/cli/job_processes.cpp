#include "cli/job_processes.hpp"

#include <optional>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/own_program.hpp"
#include "base/text.hpp"
#include "cli/program_process.hpp"
#include "cli/shared_junit.hpp"
#include "results/exit_code.hpp"

namespace warpmark {
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

}  // namespace

ExitCode run_job_processes(const std::vector<std::string>& names, const SharedFiles& shared,
                           Output& out) {
  std::optional<TemporaryFolder> folder;
  std::optional<SharedJunit> junit;
  if (!shared.junit.empty()) {
    folder.emplace("warpmark-jobs");
    junit.emplace(shared.junit, folder->path() / "junit.xml");
  }
  if (!shared.journal.empty()) empty_journal(shared.journal);
  ProgramProcess process;
  // A job finishes its reports when it is interrupted.
  const InterruptGuard* handle = nullptr;
  const InterruptGuard guard([&process, &handle] {
    if (handle != nullptr) process.pass_on(handle->signal());
  });
  handle = &guard;
  ExitCode whole = ExitCode::success;
  for (const std::string& name : names) {
    if (guard.interrupted()) {
      out.print("\njob {} is not run\n", name);
      whole = graver(whole, guard.exit_code());
      if (junit) junit->add_left_out(name, "interrupted before this job");
    } else {
      const ExitCode code =
          process.run(arguments_of(name, junit ? junit->draft().string() : kNoDraft), guard);
      whole = graver(whole, code);
      if (junit) junit->add(name, code);
    }
    if (junit) junit->write();
  }
  return whole;
}

}  // namespace warpmark
