// `check --jobs N`: several processes that run cases at the same time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_request.hpp"
#include "worker/channel.hpp"

namespace warpmark {

/// True if the request has nothing that needs a single process.
bool can_have_lanes(const JobRequest& request);
/// Throws a usage error if --jobs is given together with an option that needs a single process.
void require_lanes(const JobRequest& request);

/// Runs cases in several processes. Each process (a lane) is a separate front, with Python and a
/// worker, and makes the plans of its cases. The cases come to `verify` in their order, and wait
/// there for the lane that has them. Lanes take the cases of a suite one after another, so that
/// shared code is compiled once.
class CheckLanes : public CaseRunner {
 public:
  /// Forks `count` lanes, which get the devices in turn. To be called before this process has a
  /// session, threads or GoogleTest. The work and `python` must outlive it. If a lane ends during a
  /// case, that case fails, and a new lane replaces it.
  CheckLanes(const std::vector<CaseWork>& work, const RunContext& context, LazyPython& python,
             const SessionOptions& options, size_t count, const std::vector<std::string>& devices);
  ~CheckLanes() override;

  /// Waits until all lanes have their devices, and returns the first lane's. Throws as
  /// Session::require does.
  DeviceFacts require();

  Outcome verify(const CaseWork& work, uint64_t trial) override;
  void close() override;
  void interrupt() noexcept override;

 private:
  using Job = std::pair<size_t, uint64_t>;  // a case's place in the work, and a trial
  struct Lane {
    SessionOptions options;
    pid_t process = -1;
    std::optional<Channel> channel;
    std::optional<Job> runs = {};
    size_t group = SIZE_MAX;  ///< group of the case that it ran last
  };

  void start(Lane& lane);
  void replace(Lane& lane);
  void serve(const Lane& lane, Channel channel, LazyPython& python) const;
  void make_groups(const RunContext& context);
  void feed();
  std::optional<Job> next_job(Lane& lane);
  void drop_before(const Job& job);
  void wait();
  void take(Lane& lane, nlohmann::json answer);
  [[noreturn]] void lost(Lane& lane);

  const std::vector<CaseWork>& work_;
  LazyPython& python_;
  std::map<std::string, size_t> places_;   ///< index of each case id
  std::vector<std::vector<Job>> groups_;   ///< jobs of one suite each, the next job last
  std::map<Job, nlohmann::json> answers_;  ///< answers of jobs that were not asked for yet
  std::vector<Lane> lanes_;
  bool several_trials_ = false;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace warpmark
