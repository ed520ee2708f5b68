#include "cli/shared_junit.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>

#include "base/file.hpp"
#include "report/junit_part.hpp"

namespace warpmark {

namespace fs = std::filesystem;

SharedJunit::SharedJunit(fs::path target, fs::path draft)
    : target_(std::move(target)), draft_(std::move(draft)) {
  require_writable(target_);
}

void SharedJunit::add(const std::string& job, ExitCode code) {
  std::error_code ignored;
  if (fs::exists(draft_, ignored)) {
    jobs_.emplace_back(job, read_junit_part(draft_));
    fs::remove(draft_, ignored);
  } else if (code == ExitCode::skipped) {
    add_left_out(job, "skipped");
  } else {
    jobs_.emplace_back(job, JunitDocument())
        .second.add_own(job, JunitCase::Result::error,
                        fmt::format("the job ended with exit code {} and left no report",
                                    static_cast<int>(code)));
  }
}

void SharedJunit::add_left_out(const std::string& job, const std::string& why) {
  jobs_.emplace_back(job, JunitDocument()).second.add_own(job, JunitCase::Result::skipped, why);
}

void SharedJunit::write() const {
  std::map<std::string, std::set<std::string>> owners;
  for (const auto& [job, document] : jobs_) {
    for (const JunitSuite& suite : document.suites) owners[suite.name].insert(job);
  }
  JunitDocument whole;
  for (const auto& [job, document] : jobs_) {
    for (const JunitSuite& suite : document.suites) {
      const bool shared = owners[suite.name].size() > 1;
      JunitSuite& added = whole.suites.emplace_back(suite);
      if (shared) added.name = added.class_name = job + "/" + suite.name;
    }
  }
  write_file_atomically(target_, junit_text(whole));
}

}  // namespace warpmark
