// Runs the cases of a check in a session.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/check.hpp"
#include "cli/jobs/look_ahead.hpp"
#include "plan/plugin_loader.hpp"
#include "results/covered_files.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// Makes the plan of a case that has none when its turn comes, and releases it with the next case:
/// a run of many cases does not hold the plans of all.
class SessionRunner : public CaseRunner {
 public:
  /// With `keep`, the last case's artifacts stay until the next case.
  SessionRunner(std::unique_ptr<Session> session, bool keep)
      : session_(std::move(session)), live_(session_.get()), keep_(keep) {}

  /// Lets `processes` further processes compile units of the cases after the running one in `works`.
  /// `options` are those of the session.
  void compile_ahead(std::span<const CaseWork> works, const SessionOptions& options,
                     size_t processes);

  Outcome verify(const CaseWork& work, uint64_t trial) override;
  void close() override;
  void interrupt() noexcept override;

  /// The artifacts of the case that was verified last, as far as it got.
  const CaseArtifacts& artifacts() const { return artifacts_; }
  /// That case and its plan; null before the first case, and the plan also if it cannot be made.
  const CaseWork* work() const { return work_; }
  const PlannedCase* planned() const { return planned_.get(); }

 private:
  void add_after(const CaseWork& work);
  const std::vector<OwnText>& texts_of(const Plan& plan, const Suite& suite);

  std::unique_ptr<Session> session_;
  std::atomic<Session*> live_;  ///< the session that a signal may interrupt
  bool keep_;
  CaseArtifacts artifacts_;
  PluginLoader plugins_;
  const CaseWork* work_ = nullptr;  ///< the case of `planned_`
  std::shared_ptr<const PlannedCase> planned_;
  std::span<const CaseWork> works_;
  std::unordered_map<const CaseWork*, std::shared_ptr<const PlannedCase>> planned_ahead_;
  std::optional<LookAhead> ahead_;
  std::vector<OwnText> texts_;  ///< own_texts() of the plan with this key
  std::string texts_key_;
};

}  // namespace warpmark
