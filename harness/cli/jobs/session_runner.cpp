#include "cli/jobs/session_runner.hpp"

#include <utility>

#include "base/text.hpp"
#include "cli/request/planned_work.hpp"

namespace warpmark {

Outcome SessionRunner::verify(const CaseWork& work, uint64_t trial) {
  artifacts_ = {};
  if (work.which.skip) return skipped_outcome(work.which);
  if (work_ != &work) {  // its further trials have the same plan
    work_ = nullptr;
    planned_.reset();
    Planned made = plan_of(work, plugins_);
    if (made.error) return load_failure(*made.error);
    planned_ = std::move(made.planned);
    work_ = &work;
  }
  Outcome outcome = session_->verify(work.which, *planned_, trial, keep_ ? &artifacts_ : nullptr);
  if (!outcome.coverage.empty()) {
    outcome.coverage = of_own_texts(outcome.coverage, texts_of(planned_->plan, *work.which.suite));
  }
  return outcome;
}

// Cases of a suite mostly have the same texts, which are read once.
const std::vector<OwnText>& SessionRunner::texts_of(const Plan& plan, const Suite& suite) {
  std::string key = suite.file.string();
  for (const Unit& unit : plan.units)
    key += "\n" + unit.file + "\n" + unit.source + "\n" + join(unit.include, "\n");
  if (key != texts_key_) {
    texts_ = own_texts(plan, suite);
    texts_key_ = std::move(key);
  }
  return texts_;
}

void SessionRunner::close() {
  artifacts_ = {};
  live_ = nullptr;
  session_.reset();
}

void SessionRunner::interrupt() noexcept {
  if (Session* session = live_) session->interrupt();
}

}  // namespace warpmark
