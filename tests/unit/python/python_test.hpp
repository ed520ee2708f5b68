// Shared by the tests of harness/python: the process's one interpreter, and short ways to say
// things.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "python/conversion.hpp"
#include "python/expression.hpp"
#include "python/interpreter.hpp"

namespace warpmark::testing {

/// One for all tests of the process, as a process can have only one.
inline Interpreter& python() {
  static Interpreter interpreter;
  return interpreter;
}

/// At column 10 of line 3 of x.yaml, as a plain value.
inline PythonExpression at(std::string text) {
  return {std::move(text), {"x.yaml", 3, 10}};
}

inline Value value_of(const std::string& text, const PythonScope& scope = {},
                      ExitCode on_error = ExitCode::usage) {
  return evaluate(python(), at(text), scope, on_error);
}

inline DType dtype(std::string_view name) {
  return find_dtype(name).value();
}

template <typename T>
std::vector<T> elements(std::span<const std::byte> bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

template <typename T>
std::vector<T> array_elements(const std::string& text, std::string_view type) {
  return elements<T>(to_array(value_of(text), dtype(type)).bytes());
}

/// The error that `action` throws; fails the test if it throws none.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return internal_error("nothing was thrown");
}

}  // namespace warpmark::testing
