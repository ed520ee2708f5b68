// A descriptor that lets poll() notice what came between two calls, such as a signal.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {

class WakeUp {
 public:
  /// Throws an environment error.
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!fd_) {
      throw environment_error(std::string("cannot make an eventfd: ") + std::strerror(errno),
                              "raise the limit of open files (`ulimit -n`)");
    }
  }
  /// Makes the descriptor readable from now on. Async-signal-safe.
  void raise() const noexcept {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
  }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace warpmark
