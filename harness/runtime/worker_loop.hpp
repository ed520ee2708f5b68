// The worker's loop, which a process or a thread runs.
#pragma once

#include "driver/choose.hpp"
#include "runtime/channel.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// Answers requests from `channel` until its end; never throws.
void serve(Channel& channel, const DriverOpeners& openers);

}  // namespace warpmark
