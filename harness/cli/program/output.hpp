// Standard output: buffered, silent once its reader has left, an error when the disk is full.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "report/problems/annotations.hpp"

namespace warpmark {

/// Writes to a descriptor that it does not own. A reader that leaves (`warpmark list | head`) is no
/// error: further output is dropped, and the exit code stays the command's own. SIGPIPE must be
/// ignored for that. Its text is written so that a CI runner finds no command in it.
class Output {
 public:
  explicit Output(int fd) : fd_(fd), for_runner_(read_by_runner()) {}

  /// True if a CI runner reads the program's output; write_for_runner() forces it.
  bool for_runner() const { return for_runner_; }
  void write_for_runner() { for_runner_ = true; }

  void write(std::string_view text);

  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    write(fmt::format(format, std::forward<Values>(values)...));
  }

  /// Throws an environment error if the text cannot be written. Not called by a destructor, because
  /// that could not throw.
  void flush();

  /// An error that ends the program becomes an annotation for a code host, if `wanted` returns true
  /// then.
  void annotate_error_if(std::function<bool()> wanted) { annotated_ = std::move(wanted); }
  /// Writes the annotation to the standard error, if it is wanted.
  void annotate(const Error& error);

  /// `end` gets the program's exit code, once all output is written.
  void at_end(std::function<void(ExitCode)> end) { end_ = std::move(end); }
  void end(ExitCode code) const {
    if (end_) end_(code);
  }

 private:
  int fd_;
  bool for_runner_;
  std::string pending_;
  bool reader_left_ = false;
  std::function<void(ExitCode)> end_;
  std::function<bool()> annotated_;
};

/// Prints a text of several lines to the standard error, with unsafe characters escaped.
void print_error(const Output& out, const std::string& text);

/// The text of a warning, in the form of an error's what().
std::string warning_text(const Error& warning);

}  // namespace warpmark
