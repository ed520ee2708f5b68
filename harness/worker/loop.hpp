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

/// Enters the sandbox, answers the request that a compile worker is started for as if it had
/// arrived, and continues as `serve`.
void serve_confined_compiler(Channel& channel, UnitCompiler compiler,
                             const protocol::Confined& confined);

/// The purpose of a worker process.
enum class WorkerKind : uint8_t {
  trusted,
  confined,    ///< started with an empty environment; does not return
  fork_server  ///< likewise; forks confined compile workers (worker/fork_server.hpp)
};
/// Gets the kind from the argument after `worker`: none, "--confined" or "--fork-server".
WorkerKind worker_kind(const char* argument);

/// The loop of a worker process: reads requests from `socket` until its end. Returns the exit code.
int run_worker(int socket, WorkerKind kind = WorkerKind::trusted);

}  // namespace warpmark
