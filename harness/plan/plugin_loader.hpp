// Finds and opens plugins, and turns cases into plans through them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/places.hpp"
#include "plan/plan.hpp"
#include "suite/case.hpp"
#include "warpmark/plugin.h"

namespace warpmark {

/// Opens warpmark-plugin-NAME.so on first use and never closes it: objects that it returned may
/// still refer to its code. Safe to use from several threads.
class PluginLoader {
 public:
  explicit PluginLoader(std::vector<std::filesystem::path> folders = library_search_path());

  /// The plugin of that name for a suite in `suite_folder`. Throws a usage error, at `where`, if
  /// there is none (with the searched folders and the plugins there), or if it is no plugin of this
  /// version.
  const warpmark_plugin& load(const std::string& name, const std::filesystem::path& suite_folder,
                              const Position& where);

  /// A plugin that `doctor` can list: its name, and its file.
  struct Available {
    std::string name;
    std::filesystem::path file;
  };
  std::vector<Available> available() const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::mutex mutex_;
  std::map<std::filesystem::path, const warpmark_plugin*> open_;
};

/// A plan, the places in the suite of its pointers, and the plans that composites compare it with.
struct PlannedCase {
  Plan plan;
  PositionMap positions;
  /// The baseline kernel at the same point, so that its inputs are the same; null if it is the
  /// case's own.
  std::shared_ptr<const PlannedCase> baseline;
  std::shared_ptr<const PlannedCase> smaller;  ///< the case's kernel with less work, or null
  /// For a plan without its last steps, the reason why it does not pass if nothing is found. "" for
  /// a whole plan.
  std::string cut = {};
  /// The baseline's counters by name, if they are known and it need not run; else empty.
  std::vector<std::pair<std::string, int64_t>> counted = {};
  /// True to get the counters of a pass, and the baseline's: Outcome::counted.
  bool compares_counters = false;
};

/// Asks the suite's plugin for the plan of a case. Throws a usage error: the plugin's own, at the
/// line that it points to, or one about the plugin's breach of the contract.
PlannedCase make_plan(const Case& which, PluginLoader& plugins);

}  // namespace warpmark
