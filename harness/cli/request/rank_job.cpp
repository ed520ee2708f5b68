#include "cli/request/rank_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/exception.hpp"
#include "ranks/ranks.hpp"
#include "runtime/rank_server.hpp"

namespace warpmark {

namespace {

bool for_devices(const CaseWork& one) {
  return one.planned && one.planned->plan.devices.has_value();
}

ExitCode serve(const std::shared_ptr<Ranks>& ranks, const Output& out) {
  ExitCode code = ExitCode::internal;
  try {
    return serve_rank(ranks);
  } catch (...) {
    const Error error = to_error(std::current_exception());
    print_error(out, fmt::format("rank {}: {}", ranks->rank(), error.what()));
    code = error.code();
  }
  ranks->abort(code);
  return code;
}

}  // namespace

bool is_other_rank() {
  const auto launched = launched_rank();
  return launched && launched->rank > 0;
}

std::optional<ExitCode> join_ranks(JobRequest& request, Output& out) {
  if (request.shard) return {};  // each for itself
  const auto launched = launched_rank();
  // Tests that share a start run in processes of their own, which are no ranks.
  const bool shares = !request.share.empty();
  if ((!launched || shares) && is_other_rank()) return ExitCode::success;
  if (!launched || shares) return {};
  try {
    request.ranks = Ranks::join(*launched);
  } catch (const Error& error) {
    if (launched->rank > 0) return ExitCode::success;
    request.no_ranks = error;
    return {};
  }
  if (launched->rank > 0) return serve(request.ranks, out);
  out.at_end([ranks = request.ranks](ExitCode code) { end_ranks(*ranks, code); });
  return {};
}

bool has_devices(const std::vector<CaseWork>& work) {
  return std::ranges::any_of(work, for_devices);
}

void require_ranks(const std::vector<CaseWork>& work, const JobRequest& request) {
  const auto launched = launched_rank();
  if (!launched || request.ranks) return;
  const auto found = std::ranges::find_if(work, for_devices);
  if (found == work.end()) return;
  if (request.no_ranks) throw *request.no_ranks;
  Position where = found->planned->positions.find("/devices");
  throw usage_error(fmt::format("mpirun started {} processes, and of a suite with `devices` only "
                                "`warpmark check` runs on them",
                                launched->size),
                    where, "without mpirun one process runs it on several devices");
}

}  // namespace warpmark
