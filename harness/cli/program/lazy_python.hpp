// The embedded Python of the process, started when something first needs it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "python/expression.hpp"
#include "python/interpreter.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// Most suites are listed without Python; those with a computed list start it, without NumPy.
class LazyPython {
 public:
  /// Throws an environment error if there is no usable Python; the same each time, because looking
  /// for one may take long.
  Interpreter& interpreter();
  /// The same for one who may not need it at once, to be used while this lives.
  std::function<Interpreter&()> when_needed() {
    return [this]() -> Interpreter& { return interpreter(); };
  }
  bool started() const { return interpreter_ != nullptr; }

  /// Evaluates computed lists, starting Python for the first; to be used while this lives.
  ListEvaluator list_evaluator();

 private:
  std::unique_ptr<Interpreter> interpreter_;
  std::optional<Error> failure_;
};

}  // namespace warpmark
