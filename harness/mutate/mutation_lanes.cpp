#include "mutate/mutation_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "jobs/forked_process.hpp"

namespace warpmark {

MutationLanes::MutationLanes(const std::vector<MutationWork>& work, const MutationOptions& options,
                             size_t count, Interpreter* started,
                             std::function<Interpreter&()> python)
    : work_(work), options_(options), started_(started), python_(std::move(python)), pool_(*this) {
  // Parts of one suite run its right kernel again, which many suites make unnecessary.
  const size_t parts = work.size() < 2 * count ? count : 1;
  for (size_t i = 0; i < work.size(); ++i) {
    for (size_t part = 0; part < parts; ++part) jobs_.push_back({i, {part, parts}});
  }
  for (size_t job = jobs_.size(); job-- > 0;) waiting_.push_back(job);
  pool_.grow(std::max<size_t>(1, std::min(count, jobs_.size())));
}

pid_t MutationLanes::start(size_t /*lane*/, Channel& /*ours*/, Channel& theirs) {
  return fork_process(started_, [&] {
    pool_.forget();
    serve(theirs);
  });
}

void MutationLanes::serve(Channel& channel) {
  std::optional<SuiteMutation> mutation;
  const auto find_device = [&] {
    mutation.emplace(python_(), options_);
    return mutation->require();
  };
  serve_jobs(channel, find_device, [&](const nlohmann::json& request) {
    const MutationPart part{request.at("part"), request.at("parts")};
    return to_json(mutation->run(work_.at(request.at("work").get<size_t>()), part));
  });
}

std::optional<PoolJob> MutationLanes::next(size_t /*lane*/) {
  if (waiting_.empty()) return std::nullopt;
  const size_t number = waiting_.back();
  waiting_.pop_back();
  const Job& job = jobs_[number];
  return PoolJob{number, {{"work", job.work}, {"part", job.part.index}, {"parts", job.part.count}}};
}

bool MutationLanes::answered(size_t job, const nlohmann::json& answer) {
  results_.emplace(job, suite_mutants(answer));
  return true;
}

void MutationLanes::failed(size_t /*job*/, const Error& error) {
  throw error;
}

bool MutationLanes::lost(const LostProcess& lost) {
  if (!lost.job) {
    if (lost.lost_starts < 3) return true;
    throw environment_error("a process that runs mutants " + lost.how + " while it started");
  }
  Job& job = jobs_[*lost.job];
  if (++job.losses < 2) {
    waiting_.push_back(*lost.job);
    return true;
  }
  throw environment_error(fmt::format("the process that runs the mutants of {} {}",
                                      work_[job.work].suite->name, lost.how));
}

std::vector<SuiteMutants> MutationLanes::run(const std::function<void(size_t)>& tell) {
  size_t told = 0;
  while (results_.size() < jobs_.size()) {
    pool_.step();
    if (tell && results_.size() != told)
      tell((told = results_.size()) * work_.size() / jobs_.size());
  }
  pool_.close();
  std::vector<SuiteMutants> all(work_.size());
  for (auto& [job, part] : results_) {
    SuiteMutants& whole = all[jobs_[job].work];
    whole.suite = part.suite;
    whole.add(std::move(part));
  }
  // However many parts there were, the order is that of the text.
  for (SuiteMutants& one : all) {
    std::ranges::sort(one.live, {}, [](const LiveMutant& live) {
      const NamedMutant& mutant = live.mutant;
      return std::tuple(mutant.where.file, mutant.where.line, mutant.where.column, mutant.after);
    });
  }
  return all;
}

}  // namespace warpmark
