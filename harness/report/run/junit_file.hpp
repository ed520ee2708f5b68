// The JUnit file of a run, which is valid from the first case on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "report/run/draft_budget.hpp"
#include "report/run/junit.hpp"
#include "results/run_context.hpp"

namespace warpmark {

/// Collects the cases of a run, and writes the file at its end. Until then the file has what ended so
/// far, and that the run did not come to its end: who ends the process, or kills it, leaves that, and
/// no report of a run before.
class JunitFile {
 public:
  /// A report that is to be `part` of another says so in a comment. Throws an environment error if
  /// `file` could not be written, and leaves it as it is.
  JunitFile(std::filesystem::path file, std::optional<ShardContext> shard, bool part);

  void begin() { write_draft(); }
  void add(const std::string& suite, JunitCase ended);
  /// The whole, with an error of the run if it is not "". It may come again, with an error that came
  /// since; but a device or a pipe gets it once. Throws an environment error.
  void publish(const std::string& error);

 private:
  void write(const std::string& error) const;
  void write_draft();

  std::filesystem::path file_;
  std::optional<ShardContext> shard_;
  bool part_;
  bool special_ = false;  ///< a device or a pipe: written to, not replaced
  bool has_draft_ = true;
  bool published_ = false;
  DraftBudget drafts_;
  JunitDocument document_;
};

}  // namespace warpmark
