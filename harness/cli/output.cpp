#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace warpmark {

namespace {
constexpr size_t kEnough = 1 << 16;
}

void Output::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kEnough) flush();
}

void Output::flush() {
  const std::string bytes = std::exchange(pending_, {});
  for (std::string_view rest = bytes; !rest.empty() && !reader_left_;) {
    const ssize_t count = ::write(fd_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EPIPE) {
      reader_left_ = true;
    } else if (errno != EINTR) {
      throw environment_error(
          fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    }
  }
}

}  // namespace warpmark
