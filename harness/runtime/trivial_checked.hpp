// Finds the answers that need no kernel and that the checks of a case accept.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "python/interpreter.hpp"
#include "runtime/inputs.hpp"
#include "suite/lint_exception.hpp"

namespace warpmark {

/// Tries one answer at a time for all outputs that only checks concern, while outputs with a
/// reference hold the right values. So checks that compare outputs with each other are tried, too.
class TrivialChecked {
 public:
  struct Answer {
    TrivialAnswer answer = TrivialAnswer::zeros;
    std::string input;  ///< input of copy
  };
  struct Output {
    std::string name;
    size_t elements = 0;
  };

  explicit TrivialChecked(Interpreter& python) : python_(python) {}

  /// Tries the answers that are not refuted yet. Throws verdict errors of checks and references.
  void look(const ReadyCase& ready);

  /// The answers that no trial refuted; of zeros and ones only the first.
  const std::vector<Answer>& answers() const { return answers_; }
  /// The outputs with elements.
  const std::vector<Output>& outputs() const { return outputs_; }

 private:
  void begin(const ReadyCase& ready, const std::vector<const Buffer*>& outputs);

  Interpreter& python_;
  bool begun_ = false;
  std::vector<Answer> answers_;
  std::vector<Output> outputs_;
};

}  // namespace warpmark
