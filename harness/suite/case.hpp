// A suite at one point of its axes, its id, and the JSON form that plugins get.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "suite/position_map.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// The value of one axis.
struct PointValue {
  std::string name;
  ArithmeticValue value;
  std::string label;  ///< its text in the case id
};

struct Case {
  std::shared_ptr<const Suite> suite;
  std::string id;  ///< "doublify.dtype=float32,n=16"; "multiply_them.default" without axes
  std::vector<PointValue> point;           ///< in axis order
  std::vector<ArgumentContents> contents;  ///< of arguments with patterns for values, in their
                                           ///< order; the others have the suite's values
  std::optional<std::string> skip;         ///< the reason, if a skip rule over the axes alone holds

  /// A scope with the axes as names.
  Scope scope() const;
};

/// Evaluates a Python list for `{python: …}`, with builtins only; the harness supplies its
/// interpreter.
using ListEvaluator = std::function<std::vector<ArithmeticValue>(const Located& expression)>;

/// Every case in file order, the first axis slowest. Throws a usage error for values that cannot be
/// part of an id, equal ids, more than 100,000 cases, and a computed list without an evaluator.
std::vector<Case> cases(const std::shared_ptr<const Suite>& suite, const ListEvaluator& python = {},
                        Purpose purpose = Purpose::check);

/// The suite at one point, a value for each axis in their order, and with these contents. Throws a
/// usage error for a skip rule that is not a condition.
Case case_at(const std::shared_ptr<const Suite>& suite, std::vector<PointValue> point,
             std::vector<ArgumentContents> contents = {});

/// The case of that id, if the suite's ranges (`any`) and contents make it possible: other axes have
/// one of their values. Nothing if there is no such case.
std::optional<Case> possible_case(const std::shared_ptr<const Suite>& suite, std::string_view id,
                                  const ListEvaluator& python = {});

/// The value of a limit or a budget at one point. Throws a usage error, at its place, unless it is
/// a finite number more than 0.
double positive_number(const Expression& expression, const Scope& scope);

/// The text of the value in ids: a minus is "~". Nothing if it has characters that ids cannot have.
std::optional<std::string> id_text(const ArithmeticValue& value);

/// The usual values of a range: its ends, and a number between them of a size between theirs.
std::vector<int64_t> usual_values(const AxisRange& range);

/// A case in the form for plugins (docs/plugins.md), and the place of each of its values in the
/// suite.
struct CaseDocument {
  nlohmann::ordered_json json;
  PositionMap positions;
};

/// Folds expressions that use only axes. Throws a usage error if that fails (a division by zero, a
/// negative size, an unknown dtype).
CaseDocument case_document(const Case& which);

}  // namespace warpmark
