// The work of every rank but the first: it has a worker, and passes rank 0's requests to it.
#pragma once

#include "base/error.hpp"
#include "ranks/ranks.hpp"

namespace warpmark {

/// Answers rank 0 until rank 0 sends the exit code, which is returned. The rank knows neither
/// suite, inputs nor expected values. Throws if the connection to rank 0 is lost.
ExitCode serve_rank(const std::shared_ptr<Ranks>& ranks);

/// Tells the other ranks the exit code, and leaves with them; ends them all if messages can no
/// longer be exchanged.
void end_ranks(Ranks& ranks, ExitCode code) noexcept;

}  // namespace warpmark
