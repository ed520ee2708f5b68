// The only exception type, and the exit codes that errors lead to.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace warpmark {

/// Exit codes of the program; the public contract of every subcommand.
enum class ExitCode : int {
  success = 0,
  verdict = 1,       ///< a case failed: wrong result, a kernel that does not compile or fit
  usage = 2,         ///< usage or configuration: a file that cannot be loaded, before any case runs
  environment = 3,   ///< no device, no NVRTC, no NumPy
  internal = 4,      ///< an error in Warpmark
  unmatched = 5,     ///< graded, but a submission, or a row of a course's file, matches no student
  skipped = 77,      ///< a single-case ctest run whose case was skipped
  interrupted = 130  ///< ended by SIGINT
};

/// A place in a text file; line and column count from 1, and 0 means unknown.
struct Position {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return !file.empty(); }
  /// "file:line:column", without the parts that are unknown.
  std::string text() const;
  friend bool operator==(const Position&, const Position&) = default;
};

/// An error with its message, place and hint; texts that would fill screens are shortened.
///
/// `what()` is the whole text for a person:
///     suites/x.yaml:12:5: error: unknown key `blocks`
///       hint: did you mean `block`?
class Error : public std::exception {
 public:
  Error(ExitCode code, std::string message, Position where = {}, std::string hint = {});

  const char* what() const noexcept override { return text_.c_str(); }
  ExitCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const Position& where() const { return where_; }
  const std::string& hint() const { return hint_; }

  /// The same error with a place, if it had none yet.
  Error at(const Position& where) const;

 private:
  ExitCode code_;
  std::string message_;
  Position where_;
  std::string hint_;
  std::string text_;
};

inline Error usage_error(std::string message, Position where = {}, std::string hint = {}) {
  return {ExitCode::usage, std::move(message), std::move(where), std::move(hint)};
}
inline Error environment_error(std::string message, std::string hint = {}) {
  return {ExitCode::environment, std::move(message), {}, std::move(hint)};
}
inline Error verdict_error(std::string message, Position where = {}, std::string hint = {}) {
  return {ExitCode::verdict, std::move(message), std::move(where), std::move(hint)};
}
inline Error internal_error(std::string message) {
  return {ExitCode::internal,
          std::move(message),
          {},
          "this is a mistake in Warpmark; please report it"};
}

}  // namespace warpmark
