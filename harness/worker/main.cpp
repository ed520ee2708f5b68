// warpmark-worker: a worker as a program of its own, for a host that is no program of ours.
#include <csignal>
#include <cstring>

#include "worker/loop.hpp"

namespace {
constexpr int kWorkerSocket = 3;  // where a session puts its end of the channel
}

// warpmark-worker worker [--confined]
int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const bool confined = count > 2 && std::strcmp(arguments[2], "--confined") == 0;
  return warpmark::run_worker(kWorkerSocket, confined);
}
