// `lint --mutate`: which changes of the right kernel the cases of a suite, or of an assignment, let
// live.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/program/lazy_python.hpp"
#include "mutate/mutation_lanes.hpp"

namespace warpmark {

struct MutantFindings {
  std::vector<SuiteMutants> suites;
  std::vector<Error> problems;  ///< suites whose own kernel fails, exceptions that none needs
  std::vector<Error> warnings;  ///< live mutants, and lines that nothing executes

  std::vector<std::string> summaries() const;  ///< a line for each suite
  nlohmann::ordered_json json() const;
};

/// The work of all cases of the suites; a file that cannot be loaded is left out, as others report
/// it.
std::vector<MutationWork> mutation_work(const std::vector<std::filesystem::path>& files,
                                        LazyPython& python);

/// Runs the mutants of the work.
class MutantLint {
 public:
  /// Forks `jobs` processes, 0 for one for each processor; to be made before anything starts a
  /// session.
  MutantLint(std::vector<MutationWork> work, const MutationOptions& options, size_t jobs,
             LazyPython& python);

  /// Throws environment errors.
  MutantFindings run();

 private:
  std::vector<MutationWork> work_;
  MutationLanes lanes_;
};

}  // namespace warpmark
