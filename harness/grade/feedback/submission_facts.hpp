// Facts that a submission's source shows and its findings do not: a barrier in a branch, a bound
// that is asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace warpmark {

/// A barrier of a block that only some of its threads reach.
struct DivergentBarrier {
  int line = 0;         ///< of the barrier; 0 if there is none
  int branch = 0;       ///< line of the condition, or of the `return` before the barrier
  bool behind = false;  ///< the barrier is behind a `return` that some threads take
};

/// A statement that stores to an element of an array, or through a pointer.
struct StoreFacts {
  int line = 0;
  std::string array;       ///< name of the array or pointer
  bool adds = false;       ///< `+=`, `++`, `a[i] = a[i] + …`
  bool by_thread = false;  ///< the index differs between the threads of a block
  bool by_block = false;   ///< the index differs between blocks
  bool by_data = false;    ///< the index is read from an array, so that several may be the same
};

/// A loop; line 0 for none.
struct LoopFacts {
  int line = 0;
  bool has_barrier = false;      ///< a barrier of the block is in it
  bool ends_at_or_past = false;  ///< its condition has `<=`
  bool starts_at_block = false;  ///< its counter begins with `blockDim`
  bool compares_floats =
      false;  ///< its condition compares with a number with a point by `==`, `!=`
  bool changes_nothing = false;   ///< its last part assigns nothing
  bool rounds_down = false;       ///< its condition divides a variable by a number
  bool strides_by_block = false;  ///< from an index of the grid on, by `blockDim` alone
};

/// A variable that is declared without a value.
struct BareVariable {
  std::string name;
  int line = 0;
};

/// Reads a source by its words, without macros: good enough to choose a sentence, and never to
/// decide a verdict. A condition differs between threads if it has `threadIdx`, or a variable that
/// was computed from it.
class SubmissionFacts {
 public:
  SubmissionFacts() = default;
  explicit SubmissionFacts(std::string_view source);

  /// False for no source: then the other members say nothing.
  bool known() const { return known_; }
  const DivergentBarrier& divergent_barrier() const { return barrier_; }
  /// True if `blockIdx` and `blockDim` are multiplied.
  bool has_grid_index() const { return has_grid_index_; }
  /// True if a comparison whose operands differ between threads decides what they do.
  bool asks_bound() const { return asks_bound_; }
  /// The first store of a line.
  std::optional<StoreFacts> store_in(int line) const;
  /// The innermost loop that has both lines.
  LoopFacts loop_around(int line, int other) const;
  /// The first loop from an index of the grid on, by `blockDim` alone.
  LoopFacts loop_by_block() const;
  /// The first loop that changes nothing, or compares floats exactly.
  LoopFacts odd_loop() const;
  /// A variable without a value whose name is in the line, the first one.
  std::optional<BareVariable> bare_in(int line) const;
  /// The line in which a pointer is moved, as by `z += offset`; 0 if it is not.
  int moved_in(std::string_view pointer) const;
  /// True if a function calls itself.
  bool recurses() const { return recurses_; }
  /// The first loop whose condition divides, so that it may end too early.
  LoopFacts loop_that_rounds() const;
  /// True if this word or mark is anywhere in the source.
  bool has(std::string_view text) const;
  /// True if a word begins so.
  bool has_word_like(std::string_view beginning) const;
  /// True if the line is in the branch of an `if` that threads of one warp alone take.
  bool is_of_one_warp(int line) const;
  /// True if something is compared by `<=`.
  bool has_or_equal() const;
  bool has_atomics() const { return has_word_like("atomic") || has_word_like("fetch_"); }

 private:
  struct Span {
    int last = 0;    ///< line
    LoopFacts loop;  ///< `line` is the first line
    bool holds(int line) const { return line >= loop.line && line <= last; }
  };
  template <typename Is>
  LoopFacts first_loop(const Is& is) const {
    for (const Span& span : loops_) {
      if (is(span.loop)) return span.loop;
    }
    return {};
  }

  bool known_ = false, has_grid_index_ = false, asks_bound_ = false, recurses_ = false;
  DivergentBarrier barrier_;
  std::vector<StoreFacts> stores_;
  std::vector<Span> loops_, warps_;
  std::vector<SourceToken> tokens_;
  friend class SubmissionReader;
};

}  // namespace warpmark
