// Python objects shared by this folder's sources; the only header here that shows pybind11.
#pragma once

#include <pybind11/embed.h>

#include <memory>
#include <span>
#include <string>

#include "python/array.hpp"
#include "python/expression.hpp"

namespace warpmark::objects {

namespace py = pybind11;

/// Keeps an object alive for holders that do not take Python's lock.
std::shared_ptr<void> hold(py::object object);

/// The object of a value.
py::object object_of(const Value& value);

py::module_ numpy();

/// A module of this program's own: `text`, which is run at the first call. No import can find it.
py::object own_module(const std::string& name, const char* text);

/// A NumPy array over the array's own memory, which the view keeps alive.
enum class Access { read_only, writable };
py::object numpy_view(const Array& array, Access access);

/// Extents as NumPy takes them.
py::tuple shape_tuple(const Shape& shape);

/// NumPy's dtype for the bytes of such elements: for a struct with its fields at their offsets, for
/// a float that NumPy lacks an unsigned integer.
py::object dtype_object(const DType& dtype);

/// Elements of a float that NumPy lacks as a new array of float32, which has all their values.
py::object widened(std::span<const std::byte> bytes, const DType& dtype, const Shape& shape);

/// The reader of the values of a scope: an expression, which may get large arrays by blocks (blocks.hpp),
/// or a function of a Python file, which gets NumPy's own.
enum class Seen { by_expression, by_function };

/// The object that the text of a suite sees under a name of its scope.
py::object scope_object(const PythonScope::Entry& entry, Seen seen);
/// The same; of a scope in order, an array that computes so, never by blocks.
py::object scope_object(const PythonScope& scope, const PythonScope::Entry& entry, Seen seen);

/// Sets NumPy's handling of floating-point errors, and restores it in the destructor.
class FloatingPointErrors {
 public:
  /// "ignore" or "raise", for overflow and for all others.
  FloatingPointErrors(const char* overflow, const char* others);
  FloatingPointErrors(const FloatingPointErrors&) = delete;
  FloatingPointErrors& operator=(const FloatingPointErrors&) = delete;
  ~FloatingPointErrors();

 private:
  py::dict before_;
};

/// "OverflowError: too large", printable and of bounded length.
std::string exception_text(const py::error_already_set& error);

}  // namespace warpmark::objects
