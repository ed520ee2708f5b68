// Failures as GitHub's workflow commands, which it shows at the lines of a change.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "report/run_report.hpp"

namespace warpmark {

/// "::error file=…,line=…,col=…,title=…::TEXT" in one line, whatever the parts hold. Escaped as
/// actions/toolkit does (packages/core/src/command.ts): % and line ends everywhere, `:` and `,` in
/// properties. A place that is unknown is left out.
std::string annotation(const Position& where, std::string_view title, std::string_view text);

/// While it lives, the runner takes no line of `out` for a command: what compilers and kernels
/// print in between can forge none, because only we know the word that ends it.
class CommandsStopped {
 public:
  explicit CommandsStopped(std::ostream& out);
  CommandsStopped(const CommandsStopped&) = delete;
  CommandsStopped& operator=(const CommandsStopped&) = delete;
  ~CommandsStopped();

 private:
  std::ostream& out_;
  std::string word_;
};

/// Collects the failures of a run.
class Annotations : public RunReport {
 public:
  void end_case(const EndedCase& ended) override;
  /// One line each. GitHub shows ten of a step, and we write no more than fifty.
  void write(std::ostream& out) const;

 private:
  std::vector<std::string> lines_;
  size_t failures_ = 0;
};

}  // namespace warpmark
