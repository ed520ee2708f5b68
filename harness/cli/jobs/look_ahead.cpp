#include "cli/jobs/look_ahead.hpp"

#include "base/places.hpp"

namespace warpmark {

namespace {

// A process that starts, with its compiler, takes about as long.
constexpr std::chrono::milliseconds kWorthProcesses(250);

}  // namespace

LookAhead::LookAhead(const SessionOptions& options, size_t processes)
    : options_(options), processes_(options.use_cache && !cache_folder().empty() ? processes : 0) {}

void LookAhead::settle(const Session& session, const Suite& suite, const PlannedCase& planned) {
  if (ahead_) ahead_->settle(suite, planned, [&] { return !session.interrupted(); });
}

void LookAhead::judge(Session& session, const Outcome& outcome,
                      std::chrono::steady_clock::duration took,
                      const std::function<void()>& add_later) {
  if (processes_ == 0 || ahead_ || outcome.compiled_from_cache || took <= kWorthProcesses) return;
  ahead_.emplace(options_, session.require().target, processes_);
  add_later();
}

void LookAhead::end() {
  ahead_.reset();
  processes_ = 0;
}

}  // namespace warpmark
