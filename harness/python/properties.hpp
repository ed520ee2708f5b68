// Checks an array for the ready properties of `check` (properties.py).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "python/array.hpp"
#include "python/expression.hpp"

namespace warpmark {

struct PropertyQuestion {
  std::string property;  ///< "sorted"
  std::string name;      ///< the array's name in messages
  Position where;        ///< of the check, for errors
  std::map<std::string, Value> values = {};
  std::map<std::string, Array> arrays = {};  ///< arrays in place of values, with their texts in
                                             ///< `texts`
  std::map<std::string, std::string> texts = {};
  std::vector<Value> args = {};
  std::string word = "";
};

/// Returns what is wrong with the array, in one line; "" if the property holds. Throws a verdict
/// error, at its place, for a value that does not fit, and an environment error if SciPy is needed
/// and missing.
std::string ask(Interpreter& python, const PropertyQuestion& question, const Array& array);

}  // namespace warpmark
