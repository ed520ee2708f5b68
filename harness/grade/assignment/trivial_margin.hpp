// Measures how close answers that need no kernel come to being accepted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "python/interpreter.hpp"
#include "runtime/expectation.hpp"
#include "runtime/inputs.hpp"

namespace warpmark {

/// One wrong answer to one output.
struct AnswerMargin {
  std::string output;
  std::string answer;  ///< "zeros", "a copy of `x`", "0.5 everywhere"
  /// The error as a multiple of the bound, in the element and trial where it is greatest: the
  /// factor by which the tolerance could grow before the answer passed. 1 for an answer that
  /// passes; infinite if values must be equal.
  double times = 0;
};

/// The answer that gets most elements of an output right, among those that are not wholly right.
struct AnswerShare {
  std::string output;
  std::string answer;  ///< as in a margin
  double share = 0;    ///< share of the elements, in the trial where it is least
};

/// Looks at one case, trial by trial: at zeros, ones, likely constants, copies of inputs, and the
/// initial values of an `inout` array. An answer that equals the reference in every trial is no
/// wrong answer.
class TrivialMargin {
 public:
  explicit TrivialMargin(Interpreter& python) : python_(python) {}

  /// Throws verdict errors of references and tolerances.
  void look(const ReadyCase& ready);

  /// The least margin; nothing without a wrong answer.
  std::optional<AnswerMargin> weakest() const;

  /// The best share for each output that was compared with answers.
  std::vector<AnswerShare> shares() const;

 private:
  struct Seen {
    AnswerMargin margin;
    size_t which = 0;    ///< index among the answers of that name
    bool wrong = false;  ///< it differs from the reference in some trial
    double share = 1;    ///< share of right elements, in the worst trial
  };

  void look(const ReadyCase& ready, const Expected& expected, const Expectation& expectation);
  void judge(const AnswerMargin& answer, size_t which, const TypedBytes& actual,
             const Expectation& expectation);

  Interpreter& python_;
  std::vector<Seen> seen_;
  /// Constants by output, from the first trial: a kernel's constant is the same in all.
  std::map<std::string, std::vector<std::vector<std::byte>>> constants_;
};

}  // namespace warpmark
