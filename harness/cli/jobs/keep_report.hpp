// `--keep DIR`: a folder for each failure with all that it takes to look into it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/jobs/session_runner.hpp"
#include "python/interpreter.hpp"
#include "report/run/run_report.hpp"

namespace warpmark {

/// The folder of a case below DIR: its id with `/` as `+`, which no id has; the end of a very long
/// one is its hash.
std::string kept_folder_name(const std::string& case_id);

/// Each folder holds README.txt, outcome.json, plan.json, the sources as they were compiled with
/// PTX, cubin and log, and inputs, outputs and references as .npy. It is written under another name
/// and renamed, and replaces that of an earlier run.
class KeepReport : public RunReport {
 public:
  /// Makes `folder`. Throws an environment error if it cannot be written, and a usage error if it
  /// is no folder. `all` keeps passes, too. What it refers to must outlive it.
  KeepReport(std::filesystem::path folder, bool all, const SessionRunner& runner,
             Interpreter& python);

  /// Throws an environment error for what cannot be written.
  void end_case(const EndedCase& ended) override;
  std::vector<std::string> notes() override;

 private:
  void write(const std::filesystem::path& into, const EndedCase& ended) const;

  std::filesystem::path folder_;
  bool all_;
  const SessionRunner& runner_;
  Interpreter& python_;
  size_t kept_ = 0;
};

}  // namespace warpmark
