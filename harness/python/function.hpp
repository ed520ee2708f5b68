// Calls functions of Python files beside a suite, by the names of their parameters.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "python/expression.hpp"

namespace warpmark {

/// "reference.py:dot" of a suite.
struct PythonFunction {
  std::filesystem::path file;
  std::string name;
  PythonExpression written;  ///< the suite's text for it, with its place
};

/// A parameter of a function, other than `*args` and `**kwargs`.
struct PythonParameter {
  std::string name;
  bool has_default = false;
  bool positional_only = false;
};

/// Splits "FILE.py:NAME", a path relative to `folder`.
PythonFunction python_function(const PythonExpression& written,
                               const std::filesystem::path& folder);

/// Returns the result of the function. Each parameter gets the value of its name in the scope, or
/// `np`; a parameter without such a value keeps its default. Floating-point warnings are off, as in
/// `evaluate`.
///
/// A file is run once in a process, as a separate module: nothing is put into sys.path, so that it
/// can import installed packages but no files beside it, and nothing is written beside it.
///
/// Any failure becomes an Error with the exit code `on_error`: at the line of the Python file that
/// raised, or else (no such file, function or parameter) at the suite's name for it. Throws an
/// environment error if there is no NumPy.
Value call(Interpreter& python, const PythonFunction& function, const PythonScope& scope,
           ExitCode on_error = ExitCode::usage);

/// Asks a function whether its arguments are right. Returns nothing if it returns True (Python's or
/// NumPy's); else the reason: for False, for a text, which says what is wrong, and for an
/// exception, at its line of the Python file; other reasons have the place where the suite names
/// the function. Throws, as `call` does, for a missing function, and for one that returns anything
/// else: nothing, if `return` was forgotten, or an array.
std::optional<Error> ask(Interpreter& python, const PythonFunction& function,
                         const PythonScope& scope, ExitCode on_error);

/// The names of a function's parameters, except `*args` and `**kwargs`. Throws as `call` does.
std::vector<std::string> parameters_of(Interpreter& python, const PythonFunction& function,
                                       ExitCode on_error);

/// The scope's value for a parameter; null if the parameter's default serves. `also` is a name that
/// parameters can have beside those of the scope. Throws an Error that lists the names.
const PythonScope::Entry* entry_of(const PythonFunction& function, const PythonScope& scope,
                                   const PythonParameter& parameter, const std::string& also,
                                   ExitCode on_error);

/// The file as an absolute path without "." and "..", the form that tracebacks have.
std::string absolute_name(const PythonFunction& function);

/// Throws a usage error, at its place, if the file cannot be read or is not Python. Runs nothing.
void check_syntax(Interpreter& python, const PythonFunction& function);

}  // namespace warpmark
