// The worker's loop, which a process or a thread runs.
#pragma once

#include <cstdint>

#include "driver/choose.hpp"
#include "worker/channel.hpp"
#include "worker/protocol.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

/// Answers requests from `channel` until its end; never throws.
void serve(Channel& channel, const DriverOpeners& openers);

/// Enters the sandbox, answers the request for which a compile worker starts as if it had come, and
/// goes on as `serve`.
void serve_confined_compiler(Channel& channel, UnitCompiler compiler,
                             const protocol::Confined& confined);

/// What a worker process is for.
enum class WorkerKind : uint8_t {
  trusted,
  confined,    ///< started with an empty environment; does not return
  fork_server  ///< likewise; makes confined compile workers (worker/fork_server.hpp)
};
/// By the argument behind `worker`: none, "--confined" or "--fork-server".
WorkerKind worker_kind(const char* argument);

/// The loop of a worker process: reads requests from `socket` until its end. Returns the exit code.
int run_worker(int socket, WorkerKind kind = WorkerKind::trusted);

}  // namespace warpmark
