// All that one run of a case made, for those who want to look into a failure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "compiler/compiler.hpp"
#include "plan/plugin_loader.hpp"
#include "python/array.hpp"
#include "python/conversion.hpp"
#include "runtime/composites.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// A translation unit as it was compiled. Of one that did not compile there is the source only.
struct UnitArtifacts {
  std::string name;  ///< "doublify.cu"
  std::string source;
  std::string ptx;
  std::string cubin;
  std::string log;  ///< the compiler's
  /// Where the source stands if it is a text of the suite, and which of its lines do if it was
  /// generated: line information names these places.
  Position origin = {};
  std::vector<SourceRegion> regions = {};
};

/// As far as the case got.
struct CaseArtifacts {
  std::vector<UnitArtifacts> units;
  std::vector<std::string> kernels;  ///< symbols in the PTX of those that are launched, by step
  std::optional<CaseInputs> inputs;
  /// Given before the run: bytes of the code's own variables, which count for `memory_mib`. What
  /// is allowed for them and the buffers together comes back where it is not enough.
  uint64_t static_bytes = 0;
  struct Excess {
    uint64_t bytes = 0, allowed = 0;
  };
  std::optional<Excess> excess;
  std::map<std::string, Array> results;  ///< every buffer as the last launch left it, or all zero
  std::vector<MeasuredComposite> composites;  ///< of right results, where the plan asks for some
};

/// The expected values by output, as a judge sees them. One that raises or does not fit is left
/// out: the verdict says so.
std::map<std::string, ReferenceValue> references(Interpreter& python, const PlannedCase& planned,
                                                 const CaseArtifacts& artifacts);

}  // namespace warpmark
