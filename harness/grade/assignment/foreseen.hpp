// The facts that a kernel could know without looking at its inputs: indices, results and arguments
// that never change, sizes that fill all blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grade/assignment/assignment.hpp"
#include "python/interpreter.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// An answer to one output that passes in every trial.
struct ForeseenAnswer {
  std::string output;
  std::string words;  ///< what the kernel did: "wrote its index plus 1"
  bool by_tolerance = false;
  bool never_changes = false;  ///< every trial expects the same values, which are the answer
};

/// Looks at one item, trial by trial.
class ForeseenCheck {
 public:
  explicit ForeseenCheck(Interpreter& python) : python_(python) {}

  /// Returns true if a further trial may refute more. With `random`, trials differ, as far as the
  /// suite shows. Throws verdict errors of references and tolerances.
  bool look(const ReadyCase& ready, bool random);

  std::vector<ForeseenAnswer> answers() const;

  /// True if each launch has as many threads as an array has elements, so that none has to be idle.
  bool fills_blocks() const { return fills_blocks_; }

 private:
  struct Candidate {
    std::string words;
    std::function<int64_t(int64_t)> value;  ///< value at an index
    bool by_tolerance = false;
  };
  struct Output {
    std::string name;
    std::vector<Candidate> candidates;
    uint64_t first = 0;  ///< hash of the expected values of trial 0
    bool changes = false;
  };

  Interpreter& python_;
  uint64_t trials_ = 0;
  uint64_t elements_ = 0;
  bool fills_blocks_ = false;
  std::vector<Output> outputs_;
};

/// Collects the numbers that kernels get, over all items and trials. A number that never changes
/// can be built into a kernel, which then gets all points without using the argument. In an
/// assignment of several kernels each has its own numbers.
class BuiltInValues {
 public:
  explicit BuiltInValues(const Assignment& assignment) : assignment_(assignment) {}

  void add(const Case& item, const ReadyCase& ready);

  /// Names with one value that the assignment does not call `fixed`.
  std::vector<std::string> names() const;
  /// A usage error for each of these names.
  std::vector<Error> problems() const;
  /// Names in `fixed` that have several values.
  std::vector<std::string> notes() const;

 private:
  struct Value {
    std::string name;
    std::string kernel;                ///< "" if the assignment has one kernel
    std::optional<std::string> value;  ///< nothing if there are several values
  };

  void add(const std::string& name, const std::string& kernel, const std::string& value);
  std::string kernel_of(const Suite& suite) const;
  bool is_built_in(const Value& one) const;

  const Assignment& assignment_;
  std::vector<Value> values_;  ///< in order
};

}  // namespace warpmark
