// Writes the kernel of a reduction and its plan.
#pragma once

#include <string>
#include <vector>

#include "codegen/source.hpp"
#include "codegen/vectors.hpp"
#include "operation.hpp"

namespace warpmark::codegen {

/// One launch. Each block goes over the array in steps of the whole grid and leaves one value; the
/// block that is the last to do so combines them. Which elements a thread takes depends on their
/// number and sizes only, so that every device and every run gives the same bits.
class ReductionGenerator {
 public:
  /// Throws Failures. `which`, the case, must outlive it.
  explicit ReductionGenerator(const plugin::Json& which);

  plugin::Json plan() const;

 private:
  SourceText source() const;
  void add_operation(SourceText& text) const;
  std::string thread_body() const;
  std::string ordered_thread_body() const;
  std::string values(const std::string& count, const std::string& vector) const;
  std::string kernel_body() const;
  std::string range_arguments() const;
  int64_t slot_words() const;

  const plugin::Json& which_;
  const plugin::Json& kernel_;
  std::string name_;
  Tuning tuning_;
  std::vector<Parameter> parameters_;
  Parameter result_;
  ReductionOperation operation_;
  Layout layout_;  ///< of the inputs
  Range range_;
};

}  // namespace warpmark::codegen
