#include "report/problems/problem_files.hpp"

#include <map>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

std::string problems_text(ProblemFormat format, const std::vector<Problem>& problems,
                          const ProblemRun& run) {
  switch (format) {
    case ProblemFormat::gitlab:
      return code_quality_text(problems);
    case ProblemFormat::sarif:
      return sarif_text(problems, run);
    case ProblemFormat::html:
      break;
  }
  return problems_page(problems, run);
}

std::vector<std::string> fingerprints(const std::vector<Problem>& problems) {
  constexpr size_t kDigits = 32;
  std::vector<std::string> prints;
  prints.reserve(problems.size());
  std::map<std::string, size_t> seen;
  for (const Problem& problem : problems) {
    std::string whole =
        problem.rule + '\0' + name_in_checkout(problem.where.file) + '\0' + problem.identity;
    const size_t before = seen[whole]++;
    if (before > 0) whole += '\0' + std::to_string(before);
    prints.push_back(sha256_hex(whole).substr(0, kDigits));
  }
  return prints;
}

ProblemFiles::ProblemFiles(std::vector<ProblemOutput> outputs, const RunContext& context)
    : outputs_(std::move(outputs)),
      run_{context.verb, context.command, context.device.name, context.date} {
  for (const ProblemOutput& output : outputs_) require_writable(output.file);
  run_.ended = false;
  drafts_.spend([this] { write(); });
}

void ProblemFiles::write() const {
  const std::vector<Problem> problems = failed_.problems();
  for (const ProblemOutput& output : outputs_) {
    write_file_atomically(output.file, problems_text(output.format, problems, run_));
  }
}

void ProblemFiles::end_case(const EndedCase& ended) {
  const size_t before = failed_.causes();
  failed_.add(ended);
  if (failed_.causes() > before) drafts_.spend([this] { write(); });
}

void ProblemFiles::finish(const RunEnd& end) {
  run_.ended = true;
  run_.exit_code = end.exit_code;
  run_.error = end.error;
  run_.sum = totals_text(end.totals, end.seconds);
  write();
}

}  // namespace warpmark
