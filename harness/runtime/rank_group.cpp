#include "runtime/rank_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "runtime/case_dialogue.hpp"
#include "runtime/judge.hpp"
#include "worker/device_group.hpp"

namespace warpmark {

namespace {

// The time allowed in addition to the limit of a request: a rank's machine may have other work,
// too.
constexpr double kPatienceS = 60;

// The part of a rank, if each rank has one.
std::span<std::byte> part_of_rank(const Array& array, const protocol::BufferBytes& buffer,
                                  uint64_t rank) {
  const std::span<std::byte> all = array.memory()->bytes();
  return buffer.partition ? all.subspan(rank * buffer.bytes, buffer.bytes)
                          : all.first(buffer.bytes);
}

Array memory_of(const protocol::BufferBytes& buffer) {
  return {*find_dtype("uint8"), {static_cast<int64_t>(buffer.bytes)}};
}

bool went_well(const RankAnswer& answer) {
  const auto* verified = answer.reply ? std::get_if<protocol::Verified>(&*answer.reply) : nullptr;
  return verified != nullptr && verified->misfit.text.empty();
}

Error of_rank(const Error& error, size_t rank) {
  return {error.code(), fmt::format("rank {}: {}", rank, error.message()), error.where(),
          error.hint()};
}

}  // namespace

void blame_rank(Outcome& outcome, size_t rank) {
  if (outcome.verdict == Verdict::failed && outcome.error) {
    fail(outcome, outcome.failure, of_rank(*outcome.error, rank));
  } else if (outcome.verdict == Verdict::skipped) {
    outcome.reason = fmt::format("rank {}: {}", rank, outcome.reason);
  }
}

void end_with_rank(const RankAnswer& answer, Outcome& outcome) {
  if (answer.reply) return;
  if (answer.ended.verdict == Verdict::interrupted) end_interrupted(outcome);
  end_case(outcome, answer.ended.failure, answer.ended.error.value());
}

RankGroup::RankGroup(const SessionOptions& options, const WorkerLink& own)
    : ranks_(*options.ranks), options_(options) {
  ranks_.stop_waits_if([&own] { return own.interrupted(); });
}

void RankGroup::require(const std::function<DeviceFacts()>& greet_own) {
  for (int rank = 1; rank < size(); ++rank) {
    ranks_.send(rank, {{"do", "start"},
                       {"device", options_.device},
                       {"use_cache", options_.use_cache},
                       {"timeout_s", options_.timeout_s},
                       {"start_timeout_s", options_.start_timeout_s}});
  }
  std::exception_ptr own_failure;
  DeviceFacts own;
  try {
    own = greet_own();
  } catch (...) {
    own_failure = std::current_exception();
  }
  // Distinguishes devices by node and the driver's uuid. Devices without a uuid count one by one.
  std::set<std::pair<int, std::string>> devices;
  const auto add = [&](int node, const std::string& uuid, int rank) {
    devices.emplace(node, uuid.empty() ? std::to_string(rank) : uuid);
  };
  add(ranks_.place().node, own.uuid, 0);
  std::optional<Error> failure;
  for (int rank = 1; rank < size(); ++rank) {
    try {
      const nlohmann::json said = ranks_.receive(rank, options_.start_timeout_s + kPatienceS);
      const RankAnswer answer = rank_answer_from(said);
      add(said.at("node"), std::get<DeviceFacts>(answer.reply.value()).uuid, rank);
    } catch (const StoppedWait&) {
      throw environment_error("interrupted");
    } catch (const Error& error) {
      if (!failure) failure = of_rank(error, static_cast<size_t>(rank));
      if (!ranks_.whole()) break;
    }
  }
  if (own_failure) std::rethrow_exception(own_failure);
  if (failure) throw *failure;
  if (devices.size() == static_cast<size_t>(size())) return;
  throw environment_error(
      fmt::format("mpirun started {} ranks, and they have {}: each needs a separate device", size(),
                  devices.size() == 1 ? "1 device" : fmt::format("{} devices", devices.size())),
      fmt::format("start as many as there are devices: mpirun -n {}", devices.size()));
}

template <typename Steps>
auto RankGroup::unless_interrupted(Outcome& outcome, const Steps& steps) {
  try {
    return steps();
  } catch (const StoppedWait&) {
    end_interrupted(outcome);
  }
}

std::vector<RankAnswer> RankGroup::answers(uint64_t devices, double limit_s,
                                           const AskOwn& ask_own) {
  std::vector<RankAnswer> all(devices);
  std::exception_ptr error;
  const auto take = [&](size_t rank, const auto& ask) {
    try {
      all[rank] = ask();
    } catch (const Error& failure) {
      if (!ranks_.whole()) throw;
      if (!error) error = std::make_exception_ptr(rank == 0 ? failure : of_rank(failure, rank));
    }
  };
  take(0, [&] { return answer_of(ask_own); });
  for (size_t rank = 1; rank < devices; ++rank) {
    take(rank, [&] {
      return rank_answer_from(ranks_.receive(static_cast<int>(rank), limit_s + kPatienceS));
    });
  }
  if (error) std::rethrow_exception(error);
  // The case is tried again, on all ranks.
  if (std::ranges::any_of(all, &RankAnswer::spoilt)) throw SpoiltWorker{};
  return all;
}

std::vector<RankAnswer> RankGroup::prepare(const nlohmann::json& request, uint64_t devices,
                                           const AskOwn& ask_own, Outcome& outcome) {
  return unless_interrupted(outcome, [&] {
    nlohmann::json message = {{"do", "prepare"}, {"request", request}, {"begins", begins_}};
    message["request"]["images"] = false;  // the images of this rank are enough
    for (uint64_t rank = 1; rank < devices; ++rank) {
      ranks_.send(static_cast<int>(rank), message);
    }
    begins_ = false;
    return answers(devices, options_.start_timeout_s + options_.timeout_s, ask_own);
  });
}

std::vector<RankAnswer> RankGroup::run(const protocol::Verify& whole,
                                       const std::vector<BufferArrays>& buffers,
                                       std::optional<double> limit_s, const RunOwn& run_own,
                                       Outcome& outcome) {
  const uint64_t devices = whole.run.devices;
  protocol::Verify part = whole;
  part.run = part_of(whole.run, devices);
  return unless_interrupted(outcome, [&] {
    // This rank's own part, in memory that its worker maps.
    std::vector<Array> own;
    own.reserve(2 * buffers.size());
    std::vector<BufferArrays> mine = buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      const protocol::BufferBytes& buffer = part.run.buffers[i];
      if (!buffer.partition) continue;
      if (buffer.has_initial) {
        mine[i].initial = &own.emplace_back(memory_of(buffer));
        std::ranges::copy(part_of_rank(*buffers[i].initial, buffer, 0),
                          mine[i].initial->bytes().begin());
      }
      mine[i].result = &own.emplace_back(memory_of(buffer));
    }
    const std::vector<int> fds = descriptors(part.run, mine);
    const nlohmann::json request = protocol::to_json(request_of_rank(part));
    scatter(part, buffers, limit_s);
    std::vector<RankAnswer> all =
        answers(devices, 2 * limit_s.value_or(options_.timeout_s),
                [&](Outcome& into) { return run_own(request, fds, into); });
    if (!std::ranges::all_of(all, went_well)) return all;
    gather(part, buffers, mine);
    return all;
  });
}

void RankGroup::scatter(const protocol::Verify& part, const std::vector<BufferArrays>& buffers,
                        std::optional<double> limit_s) {
  nlohmann::json request = {{"do", "run"}, {"request", protocol::to_json(part)}};
  if (limit_s) request["limit_s"] = *limit_s;
  for (uint64_t rank = 1; rank < part.run.devices; ++rank) {
    ranks_.send(static_cast<int>(rank), request);
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].initial == nullptr) continue;
      ranks_.send_bytes(static_cast<int>(rank),
                        part_of_rank(*buffers[i].initial, part.run.buffers[i], rank));
    }
  }
}

// Gathers the parts. The result of a buffer that is not divided is this rank's.
void RankGroup::gather(const protocol::Verify& part, const std::vector<BufferArrays>& buffers,
                       const std::vector<BufferArrays>& mine) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const protocol::BufferBytes& buffer = part.run.buffers[i];
    if (!buffer.partition) continue;
    std::ranges::copy(mine[i].result->bytes(), part_of_rank(*buffers[i].result, buffer, 0).begin());
  }
  for (uint64_t rank = 1; rank < part.run.devices; ++rank) {
    ranks_.send(static_cast<int>(rank), {{"do", "gather"}});
    for (size_t i = 0; i < buffers.size(); ++i) {
      const protocol::BufferBytes& buffer = part.run.buffers[i];
      if (!buffer.partition) continue;
      ranks_.receive_bytes(static_cast<int>(rank), part_of_rank(*buffers[i].result, buffer, rank),
                           kPatienceS);
    }
  }
}

}  // namespace warpmark
