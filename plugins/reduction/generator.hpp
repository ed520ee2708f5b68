// Writes the kernel of a reduction and its plan.
#pragma once

#include <string>
#include <vector>

#include "codegen/operation.hpp"
#include "codegen/source.hpp"
#include "codegen/usage.hpp"
#include "codegen/vectors.hpp"

namespace warpmark::codegen {

/// One launch. Each block goes over the array in steps of the whole grid and leaves one value; the
/// block that is the last to do so combines them. Which elements a thread takes depends on their
/// number and sizes only, so that every device and every run gives the same bits.
class ReductionGenerator {
 public:
  /// Throws Failures. `which`, the case, must outlive it.
  explicit ReductionGenerator(const plugin::Json& which);

  plugin::Json plan() const;
  /// The trial of whether the operation is a valid reduction; `null` for a built-in operation.
  plugin::Json trial() const;

 private:
  SourceText source() const;
  SourceText begin_unit() const;
  void read_index();
  void read_axis();
  void add_map(SourceText& text) const;
  void add_finish(SourceText& text) const;
  void add_indexed(plugin::Json& plan) const;
  void add_result_check(SourceText& text) const;
  void add_partials(plugin::Json& plan, plugin::Json& arguments, const plugin::Json& words,
                    int64_t counters) const;
  const Parameter& elements() const;  ///< the input that has an element for each index
  std::string all_parameters() const;
  std::string result(const std::string& total, const std::string& count) const;
  // By axis (by_axis.cpp).
  plugin::Json axis_plan() const;
  void add_axis_kernel(SourceText& text) const;
  std::string row_thread() const;
  std::string column_thread() const;
  std::string vectors_choice(const std::string& arguments) const;
  std::string row_body() const;
  std::string column_body() const;
  std::string thread_body() const;
  std::string ordered_thread_body() const;
  std::string values(const std::string& count, const std::string& vector,
                     const std::string& place = "") const;
  std::string kernel_body() const;
  std::string range_arguments() const;

  const plugin::Json& which_;
  const plugin::Json& kernel_;
  std::string name_;
  Tuning tuning_;
  std::vector<Parameter> parameters_;
  Parameter result_;
  ReductionOperation operation_;
  Layout layout_;  ///< of the inputs
  Range range_;
  std::string index_;  ///< the array of indices, if there is one
  int axis_ = -1;      ///< along which values are combined, if the result has the other one
};

}  // namespace warpmark::codegen
