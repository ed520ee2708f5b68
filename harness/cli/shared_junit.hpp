// One JUnit file for all jobs of a run configuration.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "report/junit.hpp"

namespace warpmark {

/// Collects the reports of jobs, each of which writes its own to `draft`, and has the target hold
/// all that ended. A test suite that two jobs have is called JOB/SUITE there, so that none of their
/// tests can be taken for another.
class SharedJunit {
 public:
  /// Throws an environment error if `target` could not be written.
  SharedJunit(std::filesystem::path target, std::filesystem::path draft);

  const std::filesystem::path& draft() const { return draft_; }
  /// Takes the draft of a job that ended. A job without one has a test `warpmark.JOB` that says how
  /// it ended: a skip if it was skipped, else an error.
  void add(const std::string& job, ExitCode code);
  /// A job that was not come to: a skip.
  void add_left_out(const std::string& job, const std::string& why);
  /// Replaces the target. Throws an environment error.
  void write() const;

 private:
  std::filesystem::path target_, draft_;
  std::vector<std::pair<std::string, JunitDocument>> jobs_;
};

}  // namespace warpmark
