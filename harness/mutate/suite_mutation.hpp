// Runs the mutants of a suite: the cases one after another, until one fails.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mutate/mutable_text.hpp"
#include "mutate/mutation_result.hpp"
#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// The cases that are to kill the mutants of a suite's kernel.
struct MutationWork {
  std::shared_ptr<const Suite> suite;
  std::vector<Case> cases;
  uint64_t trials = 1;  ///< inputs for each case, as in grading
};

struct MutationOptions {
  size_t most = 0;  ///< mutants of a suite, chosen evenly; 0: all
  SessionOptions session;
};

/// One part of a suite's mutants, of several that do not depend on each other.
struct MutationPart {
  size_t index = 0, count = 1;
};

class SuiteMutation {
 public:
  /// Starts two workers: one counts what the right kernels execute.
  SuiteMutation(Interpreter& python, const MutationOptions& options);

  /// Throws an environment error for a device that does not count which lines run.
  const DeviceFacts& require();

  /// Same mutants and verdicts each time. A mutant dies if a case fails: by a wrong result, a
  /// finding, a fault, or ten times the instructions of the right kernel. Throws environment
  /// errors.
  SuiteMutants run(const MutationWork& work, const MutationPart& part);

 private:
  /// A case, with what the right kernel does in it.
  struct Original {
    Case which;
    PlannedCase planned;
    std::string compiled;  ///< launched_ptx() of all units
    std::string results;   ///< digest of the outputs
    std::string units;     ///< equal for cases that are compiled alike
    Coverage coverage;
    uint64_t kills = 0;
    double seconds = 0;
  };
  struct Candidate {
    const MutableText* text;
    Mutant mutant;
  };
  enum class Fate : uint8_t { killed, live, equivalent, uncompiled };

  std::optional<Error> run_originals(const MutationWork& work);
  Original run_original(const Case& which, PlannedCase planned, Outcome& outcome);
  std::vector<MutableText> texts() const;
  void run_candidates(const std::vector<Candidate>& all, const MutationPart& part);
  Fate judge(const Candidate& candidate, std::string& reason);
  std::vector<Original*> by_kills(const Candidate& candidate);
  std::string reason_for(const Candidate& candidate, bool same) const;
  std::string killer_of(const Candidate& candidate);

  MutationOptions options_;
  PluginLoader plugins_;
  Session counting_, session_;
  // These belong to the suite that runs.
  const MutationWork* work_ = nullptr;
  std::vector<Original> originals_;
  std::map<std::string, std::optional<Original>> nearby_;  ///< the right kernel at further points
  Coverage coverage_;
  SuiteMutants result_;
};

}  // namespace warpmark
