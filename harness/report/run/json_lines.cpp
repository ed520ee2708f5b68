#include "report/run/json_lines.hpp"

#include "results/outcome_record.hpp"

namespace warpmark {

JsonLines::JsonLines(std::ostream& out, const RunContext& context, size_t cases) : out_(out) {
  out_ << record_text(run_record(context, cases)) << std::endl;
}

void JsonLines::end_case(const EndedCase& ended) {
  out_ << record_text(outcome_record(ended)) << std::endl;
}

void JsonLines::finish(const RunEnd& end) {
  out_ << record_text(end_record(end.totals, end.seconds, end.exit_code, end.error)) << std::endl;
}

}  // namespace warpmark
