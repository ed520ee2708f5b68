// warpmark-worker: a worker as a program of its own, for a host that is no program of ours.
#include <csignal>
#include <cstring>

#include "worker/channel.hpp"
#include "worker/loop.hpp"

// warpmark-worker worker [--confined]
int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const bool confined = count > 2 && std::strcmp(arguments[2], "--confined") == 0;
  return warpmark::run_worker(warpmark::kChannelDescriptor, confined);
}
