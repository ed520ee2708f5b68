// The worker's loop, which a process or a thread runs.
#pragma once

#include "driver/choose.hpp"
#include "worker/channel.hpp"

namespace warpmark {

/// Answers requests from `channel` until its end; never throws.
void serve(Channel& channel, const DriverOpeners& openers);

/// The loop of a worker process: reads requests from `socket` until its end. Returns the exit code.
/// One that is `confined` was started with an empty environment and does not return.
int run_worker(int socket, bool confined = false);

}  // namespace warpmark
