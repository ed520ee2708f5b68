// `check --jobs N`: several processes that run cases at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_request.hpp"
#include "jobs/process_pool.hpp"

namespace warpmark {

/// True if the request has nothing that needs a single process.
bool can_have_lanes(const JobRequest& request);
/// Throws a usage error if --jobs is given together with an option that needs a single process.
void require_lanes(const JobRequest& request);

/// Runs cases in several processes. Each process (a lane) is a separate front, with Python and a
/// worker, and makes the plans of its cases. The cases come to `verify` in their order, and wait
/// there for the lane that has them. Lanes take the cases of a suite one after another, so that
/// shared code is compiled once.
class CheckLanes : public CaseRunner, private PoolOwner {
 public:
  /// Forks `count` lanes, which get the devices in turn. To be called before this process has a
  /// session, threads or GoogleTest. The work and `python` must outlive it. If a lane ends during a
  /// case, that case fails, and a new lane replaces it. With `log` the output of lanes goes to that
  /// descriptor, and they run no case before it comes to `verify`.
  CheckLanes(const std::vector<CaseWork>& work, const RunContext& context, LazyPython& python,
             const SessionOptions& options, size_t count, const std::vector<std::string>& devices,
             int log = -1);

  /// Waits until all lanes have their devices, and returns the first lane's. Throws as
  /// Session::require does.
  DeviceFacts require();
  /// From now on a case that takes longer ends the run.
  void limit_cases(double seconds) { limit_s_ = seconds; }

  Outcome verify(const CaseWork& work, uint64_t trial) override;
  void close() override { pool_.close(); }
  void interrupt() noexcept override;

 private:
  pid_t start(size_t lane, Channel& ours, Channel& theirs) override;
  std::optional<PoolJob> next(size_t lane) override;
  bool answered(size_t job, const nlohmann::json& answer) override;
  void failed(size_t job, const Error& error) override;
  bool lost(const LostProcess& lost) override;
  void serve(size_t lane, Channel& channel);
  void make_groups();
  std::optional<size_t> choose_group(size_t lane) const;
  void drop_before(size_t job);

  const std::vector<CaseWork>& work_;
  LazyPython& python_;
  SessionOptions options_;
  std::vector<std::string> devices_;
  uint64_t first_trial_, trials_;
  int log_;
  std::optional<double> limit_s_;
  // A job is a trial of a case: the case's place in the work, times the number of trials, and the
  // trial's place.
  std::map<std::string, size_t> places_;      ///< place of each case id
  std::vector<std::vector<size_t>> groups_;   ///< jobs of one suite each, the next job last
  std::map<size_t, nlohmann::json> answers_;  ///< answers of jobs that were not asked for yet
  std::vector<size_t> lane_groups_;           ///< group of each lane's last case
  std::atomic<bool> interrupted_ = false;
  ProcessPool pool_;
};

}  // namespace warpmark
