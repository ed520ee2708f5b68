// Facts that a submission's source shows and its findings do not: a barrier in a branch, a bound
// that is asked for.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace warpmark {

/// A barrier of a block that only some of its threads reach.
struct DivergentBarrier {
  int line = 0;         ///< of the barrier; 0 if there is none
  int branch = 0;       ///< line of the condition, or of the `return` before the barrier
  bool behind = false;  ///< the barrier is behind a `return` that some threads take
};

/// Reads a source by its words, without macros: good enough to choose a sentence, and never to
/// decide a verdict. A condition differs between threads if it has `threadIdx`, or a variable that
/// was computed from it.
class SourceFacts {
 public:
  SourceFacts() = default;
  explicit SourceFacts(std::string_view source);

  /// False for no source: then the other members say nothing.
  bool known() const { return known_; }
  const DivergentBarrier& divergent_barrier() const { return barrier_; }
  /// True if `blockIdx` and `blockDim` are multiplied.
  bool has_grid_index() const { return has_grid_index_; }
  /// True if a comparison whose operands differ between threads decides what they do.
  bool asks_bound() const { return asks_bound_; }
  /// True if the line adds to what is there: `+=`, `++`, `a = a + …`.
  bool adds_up(int line) const { return adding_lines_.contains(line); }

 private:
  bool known_ = false, has_grid_index_ = false, asks_bound_ = false;
  DivergentBarrier barrier_;
  std::set<int> adding_lines_;
};

}  // namespace warpmark
