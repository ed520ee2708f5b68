#include "cli/jobs/session_runner.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "cli/request/planned_work.hpp"

namespace warpmark {

namespace {

// The plans of cases that are looked at ahead are kept until it is their turn.
constexpr size_t kMostAhead = 256;

}  // namespace

void SessionRunner::compile_ahead(std::span<const CaseWork> works, const SessionOptions& options,
                                  size_t processes) {
  works_ = works;
  ahead_.emplace(options, processes);
}

// Adds the cases after this one to those whose units are compiled ahead.
void SessionRunner::add_after(const CaseWork& work) {
  if (&work >= works_.data() && &work < works_.data() + works_.size()) {
    const size_t place = static_cast<size_t>(&work - works_.data());
    for (const CaseWork& later :
         works_.subspan(place + 1, std::min(kMostAhead, works_.size() - place - 1))) {
      if (later.error || later.which.skip) continue;
      Planned made = plan_of(later, plugins_);
      if (!made.planned) continue;
      ahead_->add(*later.which.suite, *made.planned);
      planned_ahead_.emplace(&later, std::move(made.planned));
    }
  }
  ahead_->finish();
}

Outcome SessionRunner::verify(const CaseWork& work, uint64_t trial) {
  artifacts_ = {};
  if (work.which.skip) return skipped_outcome(work.which);
  if (work_ != &work) {  // its further trials have the same plan
    work_ = nullptr;
    if (const auto known = planned_ahead_.extract(&work)) {
      planned_ = known.mapped();
    } else {
      planned_.reset();
      Planned made = plan_of(work, plugins_);
      if (made.error) return load_failure(*made.error);
      planned_ = std::move(made.planned);
    }
    work_ = &work;
    if (ahead_) ahead_->settle(*session_, *work.which.suite, *planned_);
  }
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome = session_->verify(work.which, *planned_, trial, keep_ ? &artifacts_ : nullptr);
  if (ahead_)
    ahead_->judge(*session_, outcome, std::chrono::steady_clock::now() - begin,
                  [&] { add_after(work); });
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
  ahead_.reset();
  live_ = nullptr;
  session_.reset();
}

void SessionRunner::interrupt() noexcept {
  if (Session* session = live_) session->interrupt();
}

}  // namespace warpmark
