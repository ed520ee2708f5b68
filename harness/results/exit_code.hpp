// The exit code of several runs together.
#pragma once

#include "base/error.hpp"

namespace warpmark {

/// The graver of two: interrupted, then internal, environment, usage, verdict, skipped, success.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace warpmark
