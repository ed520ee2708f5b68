#include "report/json_lines.hpp"

#include "results/outcome_record.hpp"

namespace warpmark {

JsonLines::JsonLines(std::ostream& out, const RunContext& context, size_t cases) : out_(out) {
  out_ << run_record(context, cases).dump() << std::endl;
}

void JsonLines::end_case(const EndedCase& ended) {
  out_ << outcome_record(ended).dump() << std::endl;
}

void JsonLines::finish(const RunEnd& end) {
  out_ << end_record(end.totals, end.seconds, end.exit_code, end.error).dump() << std::endl;
}

}  // namespace warpmark
