// Texts as kernels run them: parsed once, however often they are loaded, and decoded once for each
// placement of their variables. Harnesses load a module anew for each trial and each order of
// threads, so that its variables are new; the text is the same, and reading it takes longer than
// most of the launches.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/grid.hpp"
#include "program/program.hpp"
#include "ptx/module.hpp"

namespace warpmark::cpu {

/// A kernel's programs. They depend on nothing but the text and the placement, so that all loads
/// of an equal text may share them.
struct KernelCode {
  Program checked;  ///< bound to handlers with exact bounds
  /// Made on first use.
  std::unique_ptr<Program> contained, inspected;
  std::unique_ptr<TrafficMap> traffic;
  std::unique_ptr<RegisterRuns> renewed;
  bool serialized = false;  ///< LaunchResult::serialized, of a launch
  std::unique_ptr<CoverageMap> coverage;
};

/// A parsed text.
class LoadedText {
 public:
  /// Parses. Throws PtxError.
  explicit LoadedText(std::string text);
  [[nodiscard]] const Module& module() const { return module_; }

  /// Checks all functions, as check_module() does, unless an earlier load did. Throws PtxError.
  void check(const Placement& placement);
  /// The code of a kernel, which is decoded if no load with an equal placement did so. Throws
  /// PtxError.
  std::shared_ptr<KernelCode> code(const Function& function, const Placement& placement);

 private:
  /// The parts of a placement that decoding takes: addresses of variables, then its numbers.
  using Key = std::vector<std::uint64_t>;
  struct Placed {
    Key key;
    std::unordered_map<const Function*, std::shared_ptr<KernelCode>> kernels;
  };
  Placed& placed(const Placement& placement);

  Module module_;
  bool checked_ = false;
  std::list<Placed> placements_;  ///< the latest first
};

/// The texts that were loaded last. Guarded by Driver::mutex.
class LoadedTexts {
 public:
  /// The text, parsed now or by an earlier load. Throws PtxError.
  std::shared_ptr<LoadedText> get(std::string text);

 private:
  struct Known {
    std::string text;  ///< as it was loaded; the module's has the device's own functions, too
    std::shared_ptr<LoadedText> loaded;
  };
  std::list<Known> known_;  ///< the latest first
};

}  // namespace warpmark::cpu
