// Numbers of a case as plugins see them: what the axes decide is folded, the rest stays a text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suite/case.hpp"

namespace warpmark {

/// Values at which the numbers of a case are folded.
struct CaseScope {
  Scope scope;
  std::vector<PointValue> indices = {};  ///< of the loops around a step; `scope` has them, too
};

/// The number, or {arithmetic, at} where arrays or the device decide it, with the loops' indices
/// that it uses as `with`. Throws a usage error, at its place, for a negative number and for what is
/// no number.
nlohmann::ordered_json amount_document(const Expression& expression, const std::string& pointer,
                                       const CaseScope& values, PositionMap& positions);

/// The same of a number of either sign.
nlohmann::ordered_json number_document(const Expression& expression, const std::string& pointer,
                                       const CaseScope& values, PositionMap& positions);

/// The same of a whole number, 0 or more.
nlohmann::ordered_json size_document(const Expression& expression, const std::string& pointer,
                                     const CaseScope& values, PositionMap& positions);

/// Three dimensions, 1 for those that are left out.
nlohmann::ordered_json dimensions_document(const std::vector<Expression>& numbers,
                                           const std::string& pointer, const CaseScope& values,
                                           PositionMap& positions);

/// A value of an axis or of arithmetic.
nlohmann::ordered_json value_document(const ArithmeticValue& value);

/// Geometry of one launch: {grid, block, shared} and, where the suite has them, cluster and
/// cooperative.
nlohmann::ordered_json geometry_document(const LaunchGeometry& launch, const std::string& pointer,
                                         const CaseScope& values, PositionMap& positions);

/// A tensor map of an array that is in another's place: the same over that one's memory.
struct MovedMap {
  std::string name, map, buffer;
};

/// The steps of a case, flat: loops are unrolled, names that arrays change are followed.
struct StepsDocument {
  nlohmann::ordered_json steps;    ///< {launch}, {copy} or {fill}, as a plan has them
  nlohmann::ordered_json renamed;  ///< {name, buffer} of arrays that end with another's memory
  nlohmann::ordered_json swaps;    ///< {first, second, at}: arrays that must be alike
  std::vector<MovedMap> maps;      ///< each once
};

/// Throws a usage error for more than 100,000 steps, and for a count that is no whole number.
StepsDocument steps_document(const Suite& suite, const Scope& scope, PositionMap& positions);

}  // namespace warpmark
