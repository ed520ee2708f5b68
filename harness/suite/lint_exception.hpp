// Answers that need no kernel or a wrong one, and a suite's exceptions from the rule that none of
// them may pass, nor any mutant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/words.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// The contents of an output after a kernel that computes nothing, or something else than it
/// should.
enum class TrivialAnswer : uint8_t {
  unwritten,  ///< the initial values of an `inout` array
  zeros,
  ones,
  copy,      ///< an input's first elements, cast to the output's dtype
  constant,  ///< one value everywhere
  nan,
  stale,  ///< the result of another case of the suite
  // These are nearly right:
  low_precision,  ///< each value with the 8 bits of a bfloat16
  float16,        ///< each value with the 11 bits of a float16
  float32,        ///< each value of a float64 with the 24 bits of a float32
  tf32,           ///< the reference of inputs with the 11 bits that tensor cores keep of a float32
  one_percent,    ///< each value one percent too large
  dropped,        ///< the reference without the last element of an input
  one_wrong       ///< one element whose error is larger than the greatest element
};
bool is_nearly_right(TrivialAnswer answer);
/// The words in `lint: {allow: […]}`.
constexpr auto words(TrivialAnswer /*answer*/) {
  return words_are("unwritten", "zeros", "ones", "copy", "constant", "nan", "stale",
                   "low_precision", "float16", "float32", "tf32", "one_percent", "dropped",
                   "one_wrong");
}

/// One `lint` rule: answers and mutants that cases may let pass.
struct LintException {
  struct Allowed {
    TrivialAnswer answer;
    Position where;
  };

  /// A mutant that the cases may let live: the line as the change makes it, with single blanks.
  struct AllowedMutant {
    std::string line;
    Position where;
  };

  Position where;
  std::vector<Allowed> allow;
  std::vector<AllowedMutant> mutants;
  std::optional<Expression> when;  ///< condition over the axes; nothing: in every case
  std::string reason;
};

/// One rule or a list of them. Throws a usage error at a missing, unknown or repeated key.
std::vector<LintException> read_lint_exceptions(const YamlNode& node);

}  // namespace warpmark
