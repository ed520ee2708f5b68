#include "cli/jobs/session_runner.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/places.hpp"
#include "base/text.hpp"
#include "cli/request/planned_work.hpp"

namespace warpmark {

namespace {

// A process that starts, with its compiler, takes about as long.
constexpr std::chrono::milliseconds kWorthProcesses(250);
// Plans are made once more for cases that are looked at ahead.
constexpr size_t kMostAhead = 256;

}  // namespace

void SessionRunner::compile_ahead(std::span<const CaseWork> works, const SessionOptions& options,
                                  size_t processes) {
  if (!options.use_cache || cache_folder().empty()) return;
  works_ = works;
  options_ = options;
  processes_ = processes;
}

// Compiles the units of the cases after this one.
void SessionRunner::look_ahead(const CaseWork& work) {
  const std::span<const CaseWork> works = std::exchange(works_, {});
  if (&work < works.data() || &work >= works.data() + works.size()) return;
  ahead_.emplace(options_, session_->require().target);
  const size_t place = static_cast<size_t>(&work - works.data());
  for (const CaseWork& later :
       works.subspan(place + 1, std::min(kMostAhead, works.size() - place - 1))) {
    if (later.error || later.which.skip) continue;
    if (const Planned made = plan_of(later, plugins_); made.planned)
      ahead_->add(*later.which.suite, *made.planned);
  }
  ahead_->start(processes_);
}

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
    if (ahead_)
      ahead_->settle(*work.which.suite, *planned_, [&] { return !session_->interrupted(); });
  }
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome = session_->verify(work.which, *planned_, trial, keep_ ? &artifacts_ : nullptr);
  if (!works_.empty() && !outcome.compiled_from_cache &&
      std::chrono::steady_clock::now() - begin > kWorthProcesses)
    look_ahead(work);
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
