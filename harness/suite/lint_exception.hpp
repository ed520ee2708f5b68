// Answers that need no kernel, or one that is wrong, and a suite's exceptions from the rule that none
// may pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// What a kernel that computes nothing, or not what it should, may leave in an output.
enum class TrivialAnswer : uint8_t {
  unwritten,  ///< what was there before: an `inout` array's own values
  zeros,
  ones,
  copy,      ///< an input's first elements, cast to the output's dtype
  constant,  ///< one value everywhere
  nan,
  stale,  ///< what another case of the suite leaves
  // These are nearly right:
  low_precision,  ///< each value with the 8 bits of a bfloat16
  one_percent,    ///< each value one percent too large
  dropped,        ///< what the reference is without the last element of an input
  one_wrong       ///< one element that is further off than the greatest is from 0
};
bool is_nearly_right(TrivialAnswer answer);
/// "unwritten", "zeros", …: as `lint: {allow: […]}` names them.
std::string_view to_text(TrivialAnswer answer);
/// All of them.
const std::vector<TrivialAnswer>& trivial_answers();

/// One `lint` rule: answers that cases may let pass.
struct LintException {
  struct Allowed {
    TrivialAnswer answer;
    Position where;
  };

  Position where;
  std::vector<Allowed> allow;
  std::optional<Expression> when;  ///< over the axes; nothing: in every case
  std::string reason;
};

/// One rule or a list of them. Throws a usage error at what is missing, unknown or there twice.
std::vector<LintException> read_lint_exceptions(const YamlNode& node);

}  // namespace warpmark
