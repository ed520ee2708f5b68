#include "cli/jobs/check_lanes.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "base/clock.hpp"
#include "base/spawn.hpp"
#include "cli/jobs/session_runner.hpp"
#include "cli/request/planned_work.hpp"
#include "jobs/forked_process.hpp"
#include "results/outcome_record.hpp"
#include "runtime/judge.hpp"

namespace warpmark {

namespace {

Outcome outcome_of(const Case& which) {
  Outcome outcome;
  outcome.suite = which.suite->name;
  outcome.case_id = which.id;
  return outcome;
}

// Returns the requested option that needs a single process, or "" if there is none.
std::string asks_for_one_process(const JobRequest& request) {
  if (!request.keep.empty()) return "--keep";
  if (request.session.in_process) return "--in-process";
  if (request.search) return "--search";
  return request.ranks != nullptr ? "mpirun" : "";
}

}  // namespace

bool can_have_lanes(const JobRequest& request) {
  return asks_for_one_process(request).empty();
}

void require_lanes(const JobRequest& request) {
  const std::string what = asks_for_one_process(request);
  if (what.empty()) return;
  throw usage_error(fmt::format("{} is for one process, and --jobs starts several", what), {},
                    "leave --jobs out");
}

CheckLanes::CheckLanes(const std::vector<CaseWork>& work, const RunContext& context,
                       LazyPython& python, const SessionOptions& options, size_t count,
                       const std::vector<std::string>& devices, int log)
    : work_(work),
      python_(python),
      options_(options),
      devices_(devices),
      first_trial_(context.first_trial),
      trials_(context.trials),
      log_(log),
      lane_groups_(count, SIZE_MAX),
      pool_(*this) {
  make_groups();
  pool_.grow(count);
}

void CheckLanes::make_groups() {
  std::map<std::string, size_t> known;  // group of each suite
  for (size_t i = 0; i < work_.size(); ++i) {
    places_[work_[i].which.id] = i;
    if (work_[i].error || work_[i].which.skip) continue;
    const auto [at, added] = known.try_emplace(work_[i].which.suite->name, groups_.size());
    if (added) groups_.emplace_back();
    for (uint64_t trial = 0; trial < trials_; ++trial) {
      groups_[at->second].push_back(i * trials_ + trial);
    }
  }
  for (std::vector<size_t>& group : groups_) std::ranges::reverse(group);
}

pid_t CheckLanes::start(size_t lane, Channel& /*ours*/, Channel& theirs) {
  return fork_process(python_.started() ? &python_.interpreter() : nullptr, [&] {
    pool_.forget();
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
      if (log_ >= 0) ::dup2(log_, output);
    }
    serve(lane, theirs);
  });
}

void CheckLanes::serve(size_t lane, Channel& channel) {
  std::optional<SessionRunner> runner;
  const auto find_device = [&] {
    SessionOptions options = options_;
    options.device = devices_[lane % devices_.size()];
    auto session = std::make_unique<Session>(python_.interpreter(), options);
    DeviceFacts device = session->require();
    runner.emplace(std::move(session), false);
    return device;
  };
  serve_jobs(channel, find_device, [&](const nlohmann::json& request) {
    const CaseWork& one = work_.at(request.at("case").get<size_t>());
    return outcome_json(runner->verify(one, request.at("trial").get<uint64_t>()));
  });
  if (runner) runner->close();
}

DeviceFacts CheckLanes::require() {
  while (pool_.ready() < pool_.size()) pool_.step();
  return pool_.device();
}

// Chooses the suite that the lane has while it has cases, then the first that no lane has, else the
// one with the most cases left.
std::optional<size_t> CheckLanes::choose_group(size_t lane) const {
  const size_t last = lane_groups_[lane];
  if (last < groups_.size() && !groups_[last].empty()) return last;
  std::optional<size_t> chosen;
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].empty()) continue;
    if (std::ranges::find(lane_groups_, i) == lane_groups_.end()) return i;
    if (!chosen || groups_[i].size() > groups_[*chosen].size()) chosen = i;
  }
  return chosen;
}

std::optional<PoolJob> CheckLanes::next(size_t lane) {
  const std::optional<size_t> group = choose_group(lane);
  if (!group) return std::nullopt;
  lane_groups_[lane] = *group;
  const size_t job = groups_[*group].back();
  groups_[*group].pop_back();
  PoolJob asked = {job, {{"case", job / trials_}, {"trial", first_trial_ + job % trials_}}};
  if (limit_s_) asked.deadline = in_seconds(*limit_s_);
  return asked;
}

bool CheckLanes::answered(size_t job, const nlohmann::json& answer) {
  answers_[job] = answer;
  return true;
}

void CheckLanes::failed(size_t /*job*/, const Error& error) {
  throw Error(error);
}

// Handles the end of a lane: a reference or a check of the suite, or a library that they load, has
// ended the process; or it was killed from outside, for example by a system without memory.
bool CheckLanes::lost(const LostProcess& lost) {
  if (interrupted_) return false;
  const bool killed = WIFSIGNALED(lost.status) && WTERMSIG(lost.status) == SIGKILL;
  if (!lost.job || killed) {
    throw internal_error("one of the processes of --jobs " + exit_text(lost.status));
  }
  Outcome outcome = outcome_of(work_.at(*lost.job / trials_).which);
  fail(outcome, FailureKind::crash,
       verdict_error("the process that evaluates its references and checks " +
                         exit_text(lost.status) + " in the middle of the case",
                     {}, "a function of the suite, or a library that it loads, must not end it"));
  answers_[*lost.job] = outcome_json(outcome);
  return true;
}

// Drops the trials before one that is asked for: another has decided their case.
void CheckLanes::drop_before(size_t job) {
  answers_.erase(answers_.begin(), answers_.lower_bound(job));
  for (std::vector<size_t>& group : groups_) {
    std::erase_if(group, [job](size_t queued) { return queued < job; });
  }
}

Outcome CheckLanes::verify(const CaseWork& work, uint64_t trial) {
  if (work.which.skip) return skipped_outcome(work.which);
  const size_t job = places_.at(work.which.id) * trials_ + (trial - first_trial_);
  if (trials_ > 1) drop_before(job);
  if (log_ >= 0) groups_ = {{job}};
  while (!interrupted_) {
    if (const auto answer = answers_.find(job); answer != answers_.end()) {
      return outcome_from(answers_.extract(answer).mapped());
    }
    pool_.step();
  }
  Outcome outcome = outcome_of(work.which);
  outcome.verdict = Verdict::interrupted;
  outcome.reason = "interrupted";
  return outcome;
}

void CheckLanes::interrupt() noexcept {
  interrupted_ = true;
  pool_.kill();
}

}  // namespace warpmark
