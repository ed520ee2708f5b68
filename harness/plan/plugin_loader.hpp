// Finds and opens plan plugins, and turns cases into plans through them.
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

/// Opens warpmark-plugin-NAME.so on first use and never closes it: code of a closed library may
/// still be referred to by what it gave out. Safe to use from several threads.
class PluginLoader {
 public:
  explicit PluginLoader(std::vector<std::filesystem::path> folders = library_search_path());

  /// The plugin of that name for a suite in `suite_folder`. Throws a usage error, at `where`, if
  /// there is none (with the folders looked in and the plugins there), or if it is no plugin of
  /// this version.
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

/// A plan, where the pointers in it stand in the suite, and what composites hold it against.
struct PlannedCase {
  Plan plan;
  PositionMap positions;
  /// The baseline kernel at the same point, so that its inputs are the same; null if it is the
  /// case's own.
  std::shared_ptr<const PlannedCase> baseline;
  std::shared_ptr<const PlannedCase> smaller;  ///< the case's kernel with less work, or null
  /// Of a plan without its last steps: why it is no pass where nothing is found. "" for a whole one.
  std::string cut = {};
  /// The baseline's counters by name, where they are known and it need not run; else empty.
  std::vector<std::pair<std::string, int64_t>> counted = {};
  /// Whoever asks wants to know the counters of a pass, and the baseline's: Outcome::counted.
  bool compares_counters = false;
};

/// Asks the suite's plugin for the plan of a case. Throws a usage error: the plugin's own, at the
/// line that it points to, or one that says how the plugin broke the contract.
PlannedCase make_plan(const Case& which, PluginLoader& plugins);

}  // namespace warpmark
