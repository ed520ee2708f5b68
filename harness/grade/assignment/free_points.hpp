// Points that an assignment would give to a kernel that computes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/assignment/foreseen.hpp"
#include "grade/assignment/trivial_margin.hpp"
#include "runtime/trivial_check.hpp"

namespace warpmark {

/// Collects the items of an assignment. An item is free if each of its outputs lets an answer pass
/// that needs no kernel, or one that looks at no input. A case must not give points for free items:
/// with `credit: all` not each of its items may be free, with `credit: each` none, and with a degree
/// of elements no such answer may be right in so many that it counts. Nor may a
/// tolerance swallow a wrong answer to any output. Exceptions of the suite (`lint`) count for
/// `warpmark lint` only: here are points at stake.
class FreePoints {
 public:
  explicit FreePoints(const Assignment& assignment) : assignment_(assignment) {}

  /// An item of a case of the assignment, after its last trial.
  void add(const AssignmentCase& one, const Case& item, const TrivialCheck& check,
           const ForeseenCheck& foreseen, const TrivialMargin& margin);

  /// As usage errors at the cases, each with what to do.
  std::vector<Error> problems() const;

 private:
  struct Pass {
    std::string words;  ///< what the kernel did
    bool by_tolerance = false, stale = false, never_changes = false;
  };
  struct Output {
    std::string name;
    uint64_t fingerprint = 0;
    size_t elements = 0;
    std::vector<Pass> passes;
  };
  struct Item {
    const AssignmentCase* owner = nullptr;
    std::string id;
    std::vector<Output> outputs;
    std::vector<AnswerShare> shares;  ///< of outputs in part, where degrees count

    bool is_free() const;
    /// The degree that answers without a kernel get, each output with its own.
    double free_degree() const;
  };

  std::vector<Item> with_stale() const;
  static Error scored(const AssignmentCase& one, const std::vector<const Item*>& free);
  static Error scored_by_degree(const AssignmentCase& one, const std::vector<const Item*>& free);
  static Error loose(const Item& item, const Output& output);

  const Assignment& assignment_;
  std::vector<Item> items_;
};

}  // namespace warpmark
