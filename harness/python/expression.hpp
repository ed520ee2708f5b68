// Evaluates Python and NumPy text, with errors that point into the suite.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "python/interpreter.hpp"
#include "python/scope.hpp"

namespace warpmark {

/// The text of one YAML value, and the place where that value begins.
struct PythonExpression {
  std::string text;
  /// The first character of a plain value, the quote of a quoted one, the `|` of a block scalar.
  Position where;
  bool quoted = false;  ///< a quoted scalar: the text begins one column later

  /// The place of a line and column of the text, counted from 1. Text of more than one line is
  /// taken for a block scalar, whose indentation is unknown: its places have a line only.
  Position position_of(int line, int column) const;
};

/// Makes an expression of a text whose first character is at `first`. For a text with several
/// lines, which is a block scalar, that is the line below the `|`.
PythonExpression expression_from(const std::string& text, const Position& first);

/// The value of an expression, still a Python object: see conversion.hpp.
class Value {
 public:
  Value(PythonExpression expression, ExitCode on_error, std::shared_ptr<void> object);

  /// The expression of the value, for errors found later.
  const PythonExpression& expression() const { return expression_; }
  ExitCode on_error() const { return on_error_; }
  /// A PyObject *, kept alive.
  const std::shared_ptr<void>& object() const { return object_; }

 private:
  PythonExpression expression_;
  ExitCode on_error_;
  std::shared_ptr<void> object_;
};

/// A lack of memory for a value: NumPy's text, with the size.
class NoMemoryError : public Error {
 public:
  using Error::Error;
};

/// Evaluates NumPy text, which sees `np`, the scope and Python's builtins. Floating-point warnings
/// are off: infinities and NaNs are values to compare. Any exception becomes an Error with the exit
/// code `on_error`, at the place in the text that raised it (line only before Python 3.11). Throws
/// a NoMemoryError for Python's MemoryError, an environment error if there is no NumPy.
Value evaluate(Interpreter& python, const PythonExpression& expression, const PythonScope& scope,
               ExitCode on_error = ExitCode::usage);

/// Throws a usage error if the text is not one Python expression. Needs no NumPy and evaluates
/// nothing.
void check_syntax(Interpreter& python, const PythonExpression& expression);

/// The values of a computed list, as in "[2**k for k in range(20, 29)]": a list, tuple or range of
/// whole numbers of 64 bits, finite floats, texts and booleans. It sees Python's builtins without
/// those that import, read or ask, and needs no NumPy. Throws a usage error.
std::vector<PythonValue> evaluate_list_with_builtins_only(Interpreter& python,
                                                          const PythonExpression& expression);

}  // namespace warpmark
