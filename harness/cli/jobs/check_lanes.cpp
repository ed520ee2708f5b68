#include "cli/jobs/check_lanes.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "base/clock.hpp"
#include "base/error_json.hpp"
#include "base/exception.hpp"
#include "base/spawn.hpp"
#include "cli/jobs/session_runner.hpp"
#include "cli/program/forked_process.hpp"
#include "cli/request/planned_work.hpp"
#include "driver/choose.hpp"
#include "runtime/judge.hpp"
#include "runtime/outcome_transfer.hpp"
#include "worker/device_facts_json.hpp"

namespace warpmark {

namespace {

nlohmann::json failure_json(const std::exception_ptr& failure) {
  nlohmann::json json = {{"error", error_json(to_error(failure))}, {"no_device", false}};
  try {
    std::rethrow_exception(failure);
  } catch (const NoDeviceError&) {
    json["no_device"] = true;
  } catch (...) {
  }
  return json;
}

void rethrow_failure(const nlohmann::json& answer) {
  if (!answer.contains("error")) return;
  const Error error = error_from(answer.at("error"));
  if (answer.value("no_device", false)) throw NoDeviceError(error);
  throw error;
}

[[noreturn]] void throw_lost(int status) {
  throw internal_error(fmt::format("one of the processes of --jobs {}", exit_text(status)));
}

// Returns the requested option that needs a single process, or "" if there is none.
std::string asks_for_one_process(const JobRequest& request) {
  if (!request.keep.empty()) return "--keep";
  if (request.session.in_process) return "--in-process";
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
                       const std::vector<std::string>& devices)
    : work_(work), python_(python), lanes_(count) {
  several_trials_ = context.trials > 1;
  make_groups(context);
  for (size_t i = 0; i < count; ++i) {
    lanes_[i].options = options;
    lanes_[i].options.device = devices[i % devices.size()];
    start(lanes_[i]);
  }
}

CheckLanes::~CheckLanes() {
  CheckLanes::close();
}

void CheckLanes::make_groups(const RunContext& context) {
  std::map<std::string, size_t> known;  // group of each suite
  for (size_t i = 0; i < work_.size(); ++i) {
    places_[work_[i].which.id] = i;
    if (work_[i].error || work_[i].which.skip) continue;
    const auto [at, added] = known.try_emplace(work_[i].which.suite->name, groups_.size());
    if (added) groups_.emplace_back();
    for (uint64_t trial = 0; trial < context.trials; ++trial) {
      groups_[at->second].emplace_back(i, context.first_trial + trial);
    }
  }
  for (std::vector<Job>& group : groups_) std::reverse(group.begin(), group.end());
}

void CheckLanes::start(Lane& lane) {
  auto [ours, theirs] = Channel::pair();
  lane.process = fork_process(&python_, [&, &channel = theirs, &parent = ours] {
    // Messages to the lanes before this one are for them alone.
    for (Lane& other : lanes_) other.channel.reset();
    { const Channel closed = std::move(parent); }
    serve(lane, std::move(channel), python_);
  });
  lane.channel.emplace(std::move(ours));
}

void CheckLanes::serve(const Lane& lane, Channel channel, LazyPython& python) const {
  try {
    auto session = std::make_unique<Session>(python.interpreter(), lane.options);
    const auto facts = json_of<nlohmann::json>(session->require());
    SessionRunner runner(std::move(session), false);
    channel.send({{"device", facts}});
    for (;;) {
      const Channel::Received received = channel.receive();
      if (!received.message) break;
      const CaseWork& one = work_.at(received.message->body.at("case").get<size_t>());
      const auto trial = received.message->body.at("trial").get<uint64_t>();
      channel.send({{"outcome", outcome_json(runner.verify(one, trial))}});
    }
    runner.close();
  } catch (...) {
    channel.send(failure_json(std::current_exception()));
  }
}

DeviceFacts CheckLanes::require() {
  std::optional<DeviceFacts> first;
  for (Lane& lane : lanes_) {
    const Channel::Received received = lane.channel->receive();
    if (!received.message) lost(lane);
    rethrow_failure(received.message->body);
    if (!first) first = object_from<DeviceFacts>(received.message->body.at("device"));
  }
  return first.value();
}

std::optional<CheckLanes::Job> CheckLanes::next_job(Lane& lane) {
  const auto is_taken = [this](size_t group) {
    return std::any_of(lanes_.begin(), lanes_.end(),
                       [group](const Lane& other) { return other.group == group; });
  };
  if (lane.group >= groups_.size() || groups_[lane.group].empty()) {
    // Takes the first suite that no lane has, else the one with the most cases left.
    size_t chosen = groups_.size();
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].empty()) continue;
      if (!is_taken(i)) {
        chosen = i;
        break;
      }
      if (chosen == groups_.size() || groups_[i].size() > groups_[chosen].size()) chosen = i;
    }
    if (chosen == groups_.size()) return std::nullopt;
    lane.group = chosen;
  }
  const Job job = groups_[lane.group].back();
  groups_[lane.group].pop_back();
  return job;
}

void CheckLanes::feed() {
  for (Lane& lane : lanes_) {
    if (lane.runs || !lane.channel) continue;
    lane.runs = next_job(lane);
    if (!lane.runs) continue;
    const nlohmann::json request = {{"case", lane.runs->first}, {"trial", lane.runs->second}};
    if (!lane.channel->send(request) && !interrupted_) lost(lane);
  }
}

// Drops the trials after one that decided its case.
void CheckLanes::drop_before(const Job& job) {
  answers_.erase(answers_.begin(), answers_.lower_bound(job));
  for (std::vector<Job>& group : groups_) {
    std::erase_if(group, [&](const Job& queued) { return queued < job; });
  }
}

void CheckLanes::wait() {
  std::vector<pollfd> polled;
  for (const Lane& lane : lanes_) {
    polled.push_back({lane.channel ? lane.channel->fd() : -1, POLLIN, 0});
  }
  if (::poll(polled.data(), polled.size(), -1) < 0) return;  // a signal
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (polled[i].revents == 0 || interrupted_) continue;
    Channel::Received received = lanes_[i].channel->receive();
    if (received.message) {
      take(lanes_[i], std::move(received.message->body));
    } else if (!interrupted_ && lanes_[i].runs) {
      replace(lanes_[i]);
    } else if (!interrupted_) {
      lost(lanes_[i]);
    }
  }
}

// Handles the end of a lane: a reference or a check of the suite, or a library that they load, has
// ended the process; or it was killed from outside, for example by a system without memory.
void CheckLanes::replace(Lane& lane) {
  const auto start_time = Clock::now();
  lane.channel.reset();
  const int status = await_exit(std::exchange(lane.process, -1));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) throw_lost(status);
  const Job job = *std::exchange(lane.runs, std::nullopt);
  const Case& which = work_.at(job.first).which;
  Outcome outcome;
  outcome.suite = which.suite->name;
  outcome.case_id = which.id;
  fail(outcome, FailureKind::crash,
       verdict_error("the process that evaluates its references and checks " + exit_text(status) +
                         " in the middle of the case",
                     {}, "a function of the suite, or a library that it loads, must not end it"));
  outcome.seconds = seconds_since(start_time);
  answers_[job] = outcome_json(outcome);
  start(lane);
  const Channel::Received received = lane.channel->receive();
  if (!received.message) lost(lane);
  rethrow_failure(received.message->body);
}

void CheckLanes::take(Lane& lane, nlohmann::json answer) {
  rethrow_failure(answer);
  answers_[lane.runs.value()] = std::move(answer.at("outcome"));
  lane.runs.reset();
}

void CheckLanes::lost(Lane& lane) {
  lane.channel.reset();
  throw_lost(await_exit(std::exchange(lane.process, -1)));
}

Outcome CheckLanes::verify(const CaseWork& work, uint64_t trial) {
  const Case& which = work.which;
  if (which.skip) return skipped_outcome(which);
  const Job job = {places_.at(which.id), trial};
  if (several_trials_) drop_before(job);
  for (;;) {
    if (interrupted_) {
      Outcome outcome;
      outcome.suite = which.suite->name;
      outcome.case_id = which.id;
      outcome.verdict = Verdict::interrupted;
      outcome.reason = "interrupted";
      return outcome;
    }
    feed();
    if (const auto answer = answers_.find(job); answer != answers_.end()) {
      Outcome outcome = outcome_from(answer->second);
      answers_.erase(answer);
      return outcome;
    }
    wait();
  }
}

void CheckLanes::close() {
  for (Lane& lane : lanes_) {
    // A lane that still runs a case ran ahead of a run that has ended.
    if (lane.runs && lane.process > 0) ::kill(lane.process, SIGKILL);
    lane.channel.reset();
  }
  for (Lane& lane : lanes_) {
    if (lane.process > 0) await_exit(std::exchange(lane.process, -1));
  }
}

void CheckLanes::interrupt() noexcept {
  interrupted_ = true;
  for (const Lane& lane : lanes_) {
    if (lane.process > 0) ::kill(lane.process, SIGKILL);
  }
}

}  // namespace warpmark
