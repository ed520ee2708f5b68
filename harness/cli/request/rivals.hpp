// `bench --against`: what the cases of a bench take turns with.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "plan/plugin_loader.hpp"
#include "runtime/timing_job.hpp"
#include "suite/case.hpp"

namespace warpmark {

class Rivals {
 public:
  /// `against` is `baseline` (of each suite), a suite file or a folder of suites, another kernel
  /// file, or a git revision, of which each suite's folder is taken. Throws a usage error for what
  /// is none of these. `axes` are those that the command line gives other values.
  Rivals(std::string against, const std::vector<Axis>& axes);

  /// The other side of a case at the same point, or why there is none.
  struct Found {
    std::shared_ptr<const Rival> rival;
    std::string why;
  };
  /// Throws a usage error for a suite or a revision that cannot be loaded.
  Found find(const Case& which);

 private:
  using SuitePointer = std::shared_ptr<const Suite>;
  SuitePointer suite_for(const Suite& own);
  SuitePointer with_file(const Suite& own) const;
  SuitePointer other_suite(const Suite& own);
  SuitePointer of_revision(const Suite& own);

  std::string against_;
  std::vector<Axis> axes_;
  enum class Kind : uint8_t { baseline, suites, file, revision } kind_ = Kind::baseline;
  std::map<std::filesystem::path, SuitePointer> suites_;  ///< by the file of a case's own
  std::optional<TemporaryFolder> folder_;                 ///< of what a revision has
  PluginLoader plugins_;
};

}  // namespace warpmark
