// warpmark-worker: a worker as a program of its own, without the front's libraries.
#include <csignal>

#include "worker/channel.hpp"
#include "worker/loop.hpp"

// warpmark-worker worker [--confined | --fork-server]
int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto kind = warpmark::worker_kind(count > 2 ? arguments[2] : nullptr);
  return warpmark::run_worker(warpmark::kChannelDescriptor, kind);
}
