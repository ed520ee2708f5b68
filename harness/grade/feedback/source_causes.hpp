// Causes of a failure that the source shows beside the launch: the line, and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "grade/feedback/kernel_text.hpp"
#include "grade/feedback/launch_facts.hpp"
#include "grade/feedback/submitted_names.hpp"
#include "grade/feedback/wrong_pattern.hpp"

namespace warpmark {

/// How a kernel failed, as far as a cause depends on it.
struct Symptom {
  enum class Kind : uint8_t {
    wrong,           ///< elements are wrong, or got no value
    outside,         ///< an access to an argument out of bounds
    outside_shared,  ///< the same of shared memory
    race,            ///< threads of two blocks use the same memory
    race_in_block,   ///< two threads of a block do
    undefined,       ///< the use of what nothing has written
    limit            ///< it does not end
  };
  Kind kind = Kind::wrong;
  int line = 0, other = 0;  ///< of the finding and of the access before it; 0 if unknown
  bool one_past = false;    ///< the index is the number of elements
  WrongValues values = {};
  std::string output = {};  ///< the argument with the wrong elements
};

/// Finds one cause by rules in a fixed order: each looks at the source, the launch and the symptom,
/// and is silent unless all of them show it.
class SourceCauses {
 public:
  SourceCauses() = default;
  SourceCauses(KernelText text, LaunchFacts launch, SubmittedNames names)
      : text_(std::move(text)), launch_(std::move(launch)), names_(std::move(names)) {}

  /// A sentence with its line and what to do; "" if no rule fits.
  std::string of(const Symptom& symptom) const;
  /// An array that the kernel declares and that an access missed: its size and its line; "" if the
  /// line shows none, or several.
  std::string small_array(int line, bool shared) const;
  /// "n % 64 == 0", the condition of the `assert` in a line; "" if it has none.
  std::string assertion(int line) const;
  /// A shared variable that a line uses as if each thread had its own; "" for none.
  std::string shared_variable(int line) const;
  /// The name of the shared array that a line uses; "" if it uses none, or several.
  std::string shared_array(int line) const;

 private:
  using Rule = std::string (SourceCauses::*)(const Symptom&) const;

  // Mistakes whatever the launch is.
  std::string empty_statement(const Symptom&) const;
  std::string assigns_in_condition(const Symptom&) const;
  std::string steps_nowhere(const Symptom&) const;
  // Slips of writing.
  std::string uncalled(const Symptom&) const;
  std::string sign_for_operator(const Symptom&) const;
  std::string outside_of_branch(const Symptom&) const;
  std::string single_and(const Symptom&) const;
  std::string asks_too_late(const Symptom&) const;
  std::string leaves_too_late(const Symptom&) const;
  std::string asks_after_round(const Symptom&) const;
  std::string caret(const Symptom&) const;
  std::string one_of_two_bounds(const Symptom&) const;
  std::string never_below_zero(const Symptom&) const;
  // Memory that threads share.
  std::string counts_in_two_steps(const Symptom&) const;
  std::string reads_counter_again(const Symptom&) const;
  std::string replaced_before(const Symptom&) const;
  std::string exchanged_twice(const Symptom&) const;
  std::string from_the_end(const Symptom&) const;
  std::string grid_index_in_tile(const Symptom&) const;
  std::string tile_without_border(const Symptom&) const;
  std::string step_of_one(const Symptom&) const;
  std::string shuffles_too_few(const Symptom&) const;
  // The index of a thread.
  std::string product_of_indices(const Symptom&) const;
  std::string sum_of_indices(const Symptom&) const;
  std::string mixed_axes(const Symptom&) const;
  std::string no_thread_index(const Symptom&) const;
  std::string no_block_index(const Symptom&) const;
  // Bounds, rows and tiles.
  std::string or_equal(const Symptom&) const;
  std::string neighbour_past_end(const Symptom&) const;
  std::string leaves_last_out(const Symptom&) const;
  std::string unasked_index(const Symptom&) const;
  std::string row_length(const Symptom&) const;
  std::string exchanged_bounds(const Symptom&) const;
  std::string part_of_a_tile(const Symptom&) const;
  std::string one_element_a_thread(const Symptom&) const;
  // Indices that are exchanged, or used twice.
  std::string exchanged_index(const Symptom&) const;
  std::string written_twice(const Symptom&) const;
  std::string exchanged_buffers(const Symptom&) const;
  // Values.
  std::string added_by_all(const Symptom&) const;
  std::string halves_too_few(const Symptom&) const;
  std::string halves_odd(const Symptom&) const;
  std::string rounds_down(const Symptom&) const;
  std::string shifts_out(const Symptom&) const;
  std::string unused_result(const Symptom&) const;
  std::string integer_quotient(const Symptom&) const;
  std::string integer_variable(const Symptom&) const;
  std::string narrow_variable(const Symptom&) const;
  std::string divides_by_block(const Symptom&) const;
  std::string neutral_of_greatest(const Symptom&) const;
  std::string atomic_by_thread(const Symptom&) const;
  std::string atomic_on_input(const Symptom&) const;
  std::string one_thread_alone(const Symptom&) const;
  std::string unnamed_output(const Symptom&) const;
  // Memory that nothing has written.
  std::string reads_output(const Symptom&) const;
  std::string not_shared(const Symptom&) const;
  std::string written_by_some(const Symptom&) const;

  std::string bound_of(std::string_view name) const;
  bool is_element_of_matrix(size_t at) const;
  /// True if a `for` counts with it.
  bool is_counter(std::string_view name) const;
  std::string counter_stays(size_t loop) const;
  std::string condition_stays(size_t loop) const;
  size_t behind_element(size_t at) const;
  bool is_of_floats(size_t place) const;
  bool begins_below_zero(std::string_view name) const;
  /// True if the first statement of an `if` leaves the kernel, or the round of a loop.
  bool leaves(size_t branch) const;
  bool is_bound_of_grid(const TextComparison& one) const;
  /// True if values of several threads are brought together somewhere in the file.
  bool brings_together() const;
  std::string line_name(size_t place) const;
  /// The same at the beginning of a sentence.
  std::string line_start(size_t place) const;
  /// The axis of the block index that a value has, or -1; several give -1, too.
  int block_axis(const TextRange& value) const;
  /// The elements that one block has along an axis, by what its index is multiplied with.
  int64_t span_of_block(const TextRange& value, int axis) const;
  const LaunchFacts::Argument* argument_of(std::string_view parameter) const;
  /// The value of a word that is an integer argument.
  std::optional<int64_t> argument_number(size_t place) const;

  KernelText text_;
  LaunchFacts launch_;
  SubmittedNames names_;
};

}  // namespace warpmark
