// The records of a journal on a stream: what `--json` prints.
#pragma once

#include <ostream>

#include "report/run/run_report.hpp"
#include "results/run_context.hpp"

namespace warpmark {

/// One record of schema/outcome.json a line, each whole and flushed as its case ends.
class JsonLines : public RunReport {
 public:
  /// Writes the record of the run; `cases` is how many are to come.
  JsonLines(std::ostream& out, const RunContext& context, size_t cases);

  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  std::ostream& out_;
};

}  // namespace warpmark
