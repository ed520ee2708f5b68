// The task of `warpmark judge`: an assignment, or a suite that is made into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "grade/assignment/assignment.hpp"

namespace warpmark {

struct JudgeTaskOptions {
  uint64_t trials = 3;  ///< of each case of a suite
  /// The speed that is compared with the suite's own kernel: counters of the CPU device, "gpu" for times, or
  /// nothing.
  std::vector<std::string> speed = {};
  bool ptx = true;  ///< a candidate may be PTX
};

/// An assignment is taken as it is. Of a suite all cases are graded, hidden from the candidate's
/// writer, in a temporary assignment that exists as long as this object.
class JudgeTask {
 public:
  /// Throws usage errors: as load_assignment, and for a suite whose kernel nobody can replace.
  JudgeTask(const std::filesystem::path& file, const JudgeTaskOptions& options,
            const ListEvaluator& python);

  const std::shared_ptr<const Assignment>& assignment() const { return assignment_; }
  /// False if the file is a suite.
  bool is_assignment() const { return folder_ == nullptr; }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::shared_ptr<const Assignment> assignment_;
};

}  // namespace warpmark
