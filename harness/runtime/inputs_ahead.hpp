// The inputs of the first case, made while a device starts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plan/plugin_loader.hpp"
#include "python/interpreter.hpp"
#include "runtime/inputs.hpp"
#include "suite/case.hpp"

namespace warpmark {

class InputsAhead {
 public:
  /// Workers have large arrays as `others` says.
  explicit InputsAhead(Array::Access others) : others_(others) {}

  /// Names the first case, of which trial 0 will be run with generators of `seed`.
  void expect(const Case& which, std::shared_ptr<const PlannedCase> planned, uint64_t seed);
  /// Makes its inputs if the plan gives all types, so that the kernels' are not needed. An error is
  /// left to the case itself, which meets it again.
  void make(Interpreter& python);

  struct Made {
    CaseInputs inputs;
    double seconds = 0;  ///< that making them took
  };
  /// The inputs of a case that is ready for them: those that were made, or new ones if others, or
  /// none, were. Throws as evaluate_inputs.
  Made take_or_make(Interpreter& python, const PlannedCase& ready, const ArgumentTypes& types,
                    const GeneratorKey& key);
  void forget();

 private:
  std::optional<Made> take(const PlannedCase& ready, const ArgumentTypes& types,
                           const GeneratorKey& key);

  Made made_now(Interpreter& python, const PlannedCase& planned, const ArgumentTypes& types,
                const GeneratorKey& key) const;

  Array::Access others_;
  GeneratorKey key_;
  std::shared_ptr<const PlannedCase> planned_;
  std::optional<Made> made_;
};

}  // namespace warpmark
