// How near answers that need no kernel come to being accepted.
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
  /// How many times the bound the error is, in the element and trial where that is most: what the
  /// tolerance could grow by before the answer passed. 1 for an answer that does pass; infinite
  /// where values must be equal.
  double times = 0;
};

/// The answer that gets most elements of an output right, of those that are not wholly right.
struct AnswerShare {
  std::string output;
  std::string answer;  ///< as of a margin
  double share = 0;    ///< of the elements, in the trial where that is least
};

/// Looks at one case, trial by trial: at zeros, ones, likely constants, copies of inputs, and what
/// an `inout` array held. What equals the reference in every trial is no wrong answer.
class TrivialMargin {
 public:
  explicit TrivialMargin(Interpreter& python) : python_(python) {}

  /// Throws verdict errors of references and tolerances.
  void look(const ReadyCase& ready);

  /// The least one; nothing without a wrong answer.
  std::optional<AnswerMargin> weakest() const;

  /// Of each output that was compared with answers.
  std::vector<AnswerShare> shares() const;

 private:
  struct Seen {
    AnswerMargin margin;
    size_t which = 0;    ///< of the answers of that name
    bool wrong = false;  ///< it differs from the reference in some trial
    double share = 1;    ///< of the elements that are right, in the worst trial
  };

  void look(const ReadyCase& ready, const Expected& expected, const Expectation& expectation);
  void judge(const AnswerMargin& answer, size_t which, const TypedBytes& actual,
             const Expectation& expectation);

  Interpreter& python_;
  std::vector<Seen> seen_;
  /// By output, of the first trial: a kernel's constant is the same in all.
  std::map<std::string, std::vector<std::vector<std::byte>>> constants_;
};

}  // namespace warpmark
