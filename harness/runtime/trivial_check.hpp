// Finds the answers that need no kernel, or are only nearly right, and that a case accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "python/interpreter.hpp"
#include "runtime/expectation.hpp"
#include "runtime/inputs.hpp"
#include "runtime/trivial_checked.hpp"
#include "suite/lint_exception.hpp"

namespace warpmark {

/// An answer that passes for one output in every trial.
struct TrivialPass {
  std::string output;
  TrivialAnswer answer = TrivialAnswer::zeros;
  /// The input of copy and dropped, the value of constant, the other case of stale.
  std::string detail;
  bool by_tolerance = false;  ///< in some trial it differs from the reference
  size_t elements = 0;        ///< elements of the output
};

/// Tries answers against one case, trial by trial. Outputs are compared by `compare` with the rule
/// that the suite gives, piece by piece up to the first piece that refutes the answer, so that a
/// case costs little more than its references, and no memory beside them.
class TrivialCheck {
 public:
  /// With `nearly_right`, answers that are only just wrong are tried, too: is_nearly_right(). They
  /// are tried for outputs of float32 and float64 in cases without narrower floats among the
  /// inputs.
  explicit TrivialCheck(Interpreter& python, bool nearly_right = false)
      : python_(python), nearly_right_(nearly_right), checked_(python) {}

  /// Tries the answers that are not refuted yet, all of them in the first trial. Returns whether a
  /// further trial may refute more: with `rng` among the inputs up to 16 trials of small cases, 2
  /// of large ones. Throws verdict errors of references and tolerances.
  bool look(const ReadyCase& ready);

  /// The answers that no trial refuted; of answers with the same values only the first.
  std::vector<TrivialPass> passes() const;

  /// Outputs with elements to judge, in the plan's order, those that only checks concern last, each
  /// with a fingerprint of the first trial's expected values: equal for equal bytes, dtypes and
  /// shapes. Checks expect no single answer: their fingerprints are never equal.
  struct Judged {
    std::string output;
    uint64_t fingerprint = 0;
    size_t elements = 0;
    std::string tolerance = {};  ///< of from_float64: Expectation::reason
  };
  const std::vector<Judged>& judged() const { return judged_; }
  /// True if inputs use `rng`; without it every trial is the same.
  bool is_random() const { return is_random_; }

 private:
  struct Candidate {
    TrivialAnswer answer;
    std::string input;             ///< input of copy and dropped, and of an unwritten `inout`
    std::vector<std::byte> bytes;  ///< bytes of every element, for the others that need no
                                   ///< reference
    bool by_tolerance = false;
  };
  struct Output {
    DType dtype;
    std::vector<Candidate> candidates;
  };

  static std::vector<Candidate> candidates(const ReadyCase& ready, const Buffer& buffer,
                                           const DType& dtype, size_t count,
                                           const Expectation& expectation);
  static std::vector<Candidate> composed_candidates(const ReadyCase& ready, const Buffer& buffer,
                                                    const DType& dtype, size_t count);
  void add_nearly_right(const ReadyCase& ready, const DType& dtype, Output& output) const;
  bool survives_nearly(Candidate& candidate, const ReadyCase& ready, const Expected& expected,
                       const DType& dtype, const Shape& shape, const Expectation& expectation);
  void change_expected(const ReferenceValue& reference, size_t begin, size_t length,
                       const DType& dtype, const std::function<double(double)>& change);
  bool passes_with_one_wrong(const DType& dtype, size_t count, const Expectation& expectation);
  /// The inputs without the last element of one, or with fewer bits.
  static CaseInputs other_inputs(const Candidate& candidate, const CaseInputs& given);
  bool passes_with_other_inputs(Candidate& candidate, const ReadyCase& ready,
                                const Expected& expected, const DType& dtype, const Shape& shape,
                                const Expectation& expectation);
  static bool survives_in_parts(Candidate& candidate, const ReadyCase& ready, const DType& dtype,
                                size_t count, const std::vector<PartExpectation>& parts);
  bool survives(Candidate& candidate, const ReadyCase& ready, const DType& dtype, size_t count,
                const Expectation& expectation);
  /// Puts `length` elements of the answer from `begin` on into `piece_`.
  using MakePiece = std::function<void(size_t begin, size_t length)>;
  MakePiece copy_of(const TypedBytes& from, const DType& dtype);
  bool passes(Candidate& candidate, const MakePiece& make, const DType& dtype, size_t count,
              const Expectation& expectation);

  Interpreter& python_;
  bool nearly_right_;
  uint64_t trials_ = 0;
  bool is_random_ = false;
  std::vector<Judged> judged_;
  std::map<std::string, Output> outputs_;
  TrivialChecked checked_;
  std::vector<std::byte> piece_;  ///< piece of the answer, reused
};

}  // namespace warpmark
