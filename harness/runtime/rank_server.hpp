// What every rank but the first does: it has a worker, and asks it what rank 0 wants to know.
#pragma once

#include "base/error.hpp"
#include "ranks/ranks.hpp"

namespace warpmark {

/// Answers rank 0 until that says what the exit code is, which is returned. It knows neither suite,
/// inputs nor expected values. Throws if rank 0 cannot be heard any more.
ExitCode serve_rank(const std::shared_ptr<Ranks>& ranks);

/// Tells the other ranks the exit code, and leaves with them; ends them all if messages do not come
/// through any more.
void end_ranks(Ranks& ranks, ExitCode code) noexcept;

}  // namespace warpmark
