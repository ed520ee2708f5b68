// A compiler program for untrusted source: started and warm beforehand, in a sandbox when it sees one.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace warpmark {

/// Keeps of the mechanisms of a sandbox those that hold in another process, too.
void keep_common(std::vector<std::string>& hold, const std::vector<std::string>& other);

/// The author of a source: each has a process of its own, so that no submission's code sees the
/// course's kernel, or answers for it.
enum class SourceAuthor : uint8_t { course, submission };

/// The program warpmark-compiler-NAME with the argument `--confined` serves several submissions one
/// after another or at once, each by forks of its own (docs/plugins.md, "Compilers behind walls").
class ConfinedProgram {
 public:
  struct Limits {
    uint64_t bytes = 0;  ///< address space in addition to that of the warm program
    double cpu_s = 0;    ///< processor time of a fork
  };

  /// Starts the program, and waits for nothing. Throws an environment error if there is none.
  ConfinedProgram(std::string name, const Limits& limits);

  /// Waits until it is warm. Throws an environment error if it lacks something.
  void await_ready();

  /// Has the program make a process for each author, which belong to this process's group, and
  /// returns the mechanisms of the sandbox that hold in both. To be called once, before this process
  /// enters its own sandbox. Throws environment errors.
  std::vector<std::string> enter();

  /// The answer to a question, from the author's process. It is not trusted: it can be of any form.
  /// Throws an environment error if the process is gone, or has answered before it was asked. If
  /// that took what it may take of processor time, this process ends as the other one did, by
  /// SIGXCPU.
  nlohmann::json ask(const std::string& question, SourceAuthor author);

 private:
  struct Connection {
    UniqueFd socket;
    std::string rest;  ///< what came after the last line
  };
  std::vector<std::string> enter(Connection& connection);
  static std::string read_line(Connection& connection);

  std::string name_;
  Limits limits_;
  UniqueFd control_;
  std::array<Connection, 2> connections_;  ///< by SourceAuthor
};

}  // namespace warpmark
