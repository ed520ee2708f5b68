// Standard output: buffered, silent once its reader has left, an error when the disk is full.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace warpmark {

/// Writes to a descriptor that it does not own. A reader that leaves (`warpmark list | head`) is no
/// error: what follows is dropped, and the exit code stays the command's own. SIGPIPE must be
/// ignored for that.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  void write(std::string_view text);

  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    write(fmt::format(format, std::forward<Values>(values)...));
  }

  /// Throws an environment error if the text cannot be written. Not called by a destructor, because
  /// that could not throw.
  void flush();

 private:
  int fd_;
  std::string pending_;
  bool reader_left_ = false;
};

}  // namespace warpmark
