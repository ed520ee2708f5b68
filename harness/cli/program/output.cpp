#include "cli/program/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/log_text.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {
constexpr size_t kEnough = 1 << 16;
}

void Output::write(std::string_view text) {
  if (for_runner_) {
    pending_ += without_commands(text);
  } else {
    pending_ += text;
  }
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

void Output::annotate(const Error& error) {
  if (!annotated_ || !annotated_()) return;
  write_for_runner();
  std::fprintf(stderr, "%s\n", annotation(problem_of(error, "error")).c_str());
}

void print_error(const Output& out, const std::string& text) {
  const std::string shown = printable(text);
  std::fprintf(stderr, "%s\n", (out.for_runner() ? without_commands(shown) : shown).c_str());
}

std::string warning_text(const Error& warning) {
  const std::string place = warning.where().known() ? warning.where().text() + ": " : "";
  const std::string hint = warning.hint().empty() ? "" : "\n  hint: " + warning.hint();
  return place + "warning: " + warning.message() + hint;
}

}  // namespace warpmark
