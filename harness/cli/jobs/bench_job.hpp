// Measuring cases, for what then compares them or makes a baseline of them.
#pragma once

#include "cli/program/lazy_python.hpp"
#include "cli/request/job_request.hpp"

namespace warpmark {

/// Measures the cases of a request, whatever it says of a baseline; but one that is to be updated
/// needs a device that counts. `python` may be used again afterwards.
ExitCode measure_cases(const JobRequest& request, Output& out, LazyPython& python);

/// A bench whose journal can be read: where the request has none, it is written to a temporary file.
class MeasuredJob {
 public:
  MeasuredJob(const JobRequest& request, Output& out, LazyPython& python);

  /// Nothing if the device is not there and the request skips then.
  const std::optional<ExitCode>& code() const { return code_; }
  /// It came to the end of its cases, so that there is something to compare.
  bool finished() const;
  BenchResult result() const;
  /// Adds records of the type `lines` to the journal, of these cases that have lines.
  void add_lines(const BenchResult& run, const std::vector<std::string>& ids) const;

 private:
  JobRequest request_;
  std::optional<TemporaryFolder> folder_;
  std::optional<ExitCode> code_;
};

}  // namespace warpmark
