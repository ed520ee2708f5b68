// `-a n=2**20,2**24`: other values for an axis of the suites that have it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suite/case.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// The value as arithmetic that reads back to it, as in a list of an axis or in -a: `0.5`, `'a b'`.
std::string axis_literal(const ArithmeticValue& value);

/// Reads "AXIS=VALUE,VALUE…": values as suites write them, separated by commas outside quotes and
/// parentheses; `VALUE as LABEL` gives one its name in case ids; or "AXIS=1..5000", a range. Throws a usage error with the
/// column of the mistake; `what` is the option.
Axis parse_axis_override(std::string_view text, const std::string& what);

/// Puts `axis` in the place of the one with its name, or at the end.
void override_axis(std::vector<Axis>& axes, Axis axis);

/// The suite with the values of `overrides` for its own axes of those names, in a bench, too; the
/// suite itself if it has none of them.
std::shared_ptr<const Suite> with_axes(const std::shared_ptr<const Suite>& suite,
                                       const std::vector<Axis>& overrides);

/// Throws a usage error for an override of an axis that no suite has, with the nearest one.
void require_axes(const std::vector<std::shared_ptr<const Suite>>& suites,
                  const std::vector<Axis>& overrides);

/// The overridden axes of a case, each with the case's own value, as -a takes them:
/// "n=1048576", "word='a b' as a_b".
std::vector<std::string> override_texts(const Case& which, const std::vector<Axis>& overrides);

}  // namespace warpmark
