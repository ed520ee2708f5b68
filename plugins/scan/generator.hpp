// Writes the kernel of a scan and its plan.
#pragma once

#include <string>
#include <vector>

#include "codegen/operation.hpp"
#include "codegen/source.hpp"
#include "codegen/vectors.hpp"

namespace warpmark::codegen {

/// One launch, in which each block takes one tile, and each array is read and written once. A block
/// draws its tile's number when it starts, so that the tiles before it have all been started and
/// need no later one.
class ScanGenerator {
 public:
  /// Throws Failures. `which`, the case, must outlive it.
  explicit ScanGenerator(const plugin::Json& which);

  plugin::Json plan() const;
  /// The trial of whether the operation is a valid scan; `null` for a built-in operation.
  plugin::Json trial() const;

 private:
  void read_output();
  void check_in_place(const Expression& map) const;
  void lay_out_segment(const Expression& segment);
  SourceText source() const;
  SourceText begin_unit() const;
  void add_functions(SourceText& text) const;
  std::string load_body() const;
  std::string scan_body() const;
  std::string store_body() const;
  int64_t of_tile() const;
  std::string tiles_ahead() const;
  /// The arrays that are loaded as vectors.
  std::vector<Parameter> loaded() const;
  bool segmented() const { return !segment_.empty(); }

  const plugin::Json& which_;
  const plugin::Json& kernel_;
  std::string name_;
  std::vector<Parameter> parameters_;
  Parameter output_;
  Parameter first_;  ///< the array whose size is that of the scan
  ReductionOperation operation_;
  std::string segment_;  ///< whether a segment begins; empty: there is one
  bool exclusive_ = false;
  Layout layout_;                 ///< of all parameters
  Layout inputs_;                 ///< those that `map` may read, with the same width
  Layout segment_inputs_;         ///< the same, as `segment` reads them
  std::vector<Parameter> flags_;  ///< lanes of `segment` alone
  bool loads_beside_ = false;     ///< `segment` reads arrays that are no lanes
  Tuning tuning_;
};

}  // namespace warpmark::codegen
