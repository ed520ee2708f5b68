// A compiler program for untrusted source: started and warm beforehand, in a sandbox when it sees one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace warpmark {

/// The program warpmark-compiler-NAME with the argument `--confined` serves several submissions one
/// after another or at once, each by a fork of its own (docs/plugins.md, "Compilers behind walls").
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

  /// Has the program make a process for this one's submission, which belongs to this process's
  /// group, and returns the mechanisms of its sandbox. To be called once, before this process enters
  /// its own sandbox. Throws environment errors.
  std::vector<std::string> enter();

  /// The answer to a question, from the process that enter() made. It is not trusted: it can be of
  /// any form. Throws an environment error if the process is gone. If that took what it may take of
  /// processor time, this process ends as the other one did, by SIGXCPU.
  nlohmann::json ask(const std::string& question);

 private:
  std::string read_line();

  std::string name_;
  Limits limits_;
  UniqueFd control_, connection_;
  std::string rest_;  ///< what came after the last line
};

}  // namespace warpmark
