#include "python/conversion.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/narrow_float.hpp"
#include "base/text.hpp"
#include "python/blocks.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

Error refuse(const Value& value, const std::string& why, const std::string& hint = "") {
  return {value.on_error(), why, value.expression().position_of(1, 1), hint};
}

// Runs `convert` under Python's lock; a Python exception becomes an Error at the expression.
template <typename Convert>
auto converting(const Value& value, Convert convert) {
  const py::gil_scoped_acquire lock;
  try {
    return convert();
  } catch (const py::error_already_set& error) {
    throw refuse(value, "cannot convert the value: " + objects::exception_text(error));
  }
}

py::object numpy_dtype(std::string_view name) {
  return objects::numpy().attr("dtype")(py::str(name.data(), name.size()));
}

// A struct's dtype with the widest numbers in place of its own, so that values that do not fit are
// found and not wrapped.
py::object wide_dtype(const DType& dtype) {
  switch (dtype.kind) {
    case DTypeKind::boolean:
      return numpy_dtype("bool");
    case DTypeKind::signed_integer:
      return numpy_dtype("int64");
    case DTypeKind::unsigned_integer:
      return numpy_dtype(dtype.bytes == 8 ? "uint64" : "int64");
    case DTypeKind::floating:
      return numpy_dtype("float64");
    case DTypeKind::complex:
      return numpy_dtype("complex128");
    case DTypeKind::record:
      break;
  }
  py::list fields;
  for (const Field& field : *dtype.fields) {
    fields.append(
        py::make_tuple(field.name, wide_dtype(field.dtype), objects::shape_tuple(field.shape)));
  }
  return objects::numpy().attr("dtype")(fields);
}

// Returns an object with the fields of a struct by their names: a dict as it is, a structured
// array, or one made of tuples.
py::object structured(const Value& value, const DType& dtype) {
  const py::module_ np = objects::numpy();
  const py::object object = objects::object_of(value);
  if (py::isinstance<py::dict>(object)) return object;
  const bool is_array =
      py::isinstance(object, np.attr("ndarray")) || py::isinstance(object, np.attr("void"));
  if (is_array && object.attr("dtype").attr("kind").cast<std::string>() == "V") {
    return np.attr("asarray")(object);
  }
  return np.attr("asarray")(object, wide_dtype(dtype));
}

// The shape of the elements of `structured`: for a dict that of its first field, without the
// field's own dimensions.
py::tuple elements_shape(const Value& value, const py::object& object, const DType& dtype) {
  if (!py::isinstance<py::dict>(object)) return object.attr("shape");
  const Field& field = dtype.fields->front();
  if (!object.contains(field.name)) {
    throw refuse(value, fmt::format("the value has no field `{}`", field.name));
  }
  const py::object first = object[field.name.c_str()];
  if (field.dtype.kind == DTypeKind::record && py::isinstance<py::dict>(first)) {
    return elements_shape(value, first, field.dtype);
  }
  const py::tuple shape = objects::numpy().attr("asarray")(first).attr("shape");
  const auto own = static_cast<ssize_t>(field.shape.size());
  return shape[py::slice(0, static_cast<ssize_t>(py::len(shape)) - own, 1)];
}

char kind_of(const py::object& array) {
  return array.attr("dtype").attr("kind").cast<std::string>().front();
}

Shape extents(const py::object& tuple) {
  Shape shape;
  for (const py::handle extent : tuple) shape.push_back(extent.cast<int64_t>());
  return shape;
}

Shape shape_of(const py::object& array) {
  return extents(array.attr("shape"));
}

// "float64", "text", …: the name of an array's elements for people.
std::string elements_text(const py::object& array) {
  switch (kind_of(array)) {
    case 'U':
    case 'S':
      return "text";
    case 'O': {
      const py::object flat = array.attr("flat");
      if (array.attr("size").cast<int64_t>() == 0) return "Python objects";
      const py::object first = flat[py::int_(0)];
      return "Python objects (" +
             py::str(py::type::handle_of(first).attr("__name__")).cast<std::string>() + ")";
    }
    default:
      return py::str(array.attr("dtype").attr("name")).cast<std::string>();
  }
}

// Throws for a masked array: NumPy takes the values below a mask for elements, which the author of
// the mask did not mean.
void refuse_mask(const Value& value, const py::object& object) {
  if (!py::hasattr(object, "mask") || !py::hasattr(object, "filled")) return;
  if (!objects::numpy().attr("any")(object.attr("mask")).cast<bool>()) return;
  throw refuse(value, "the value has masked elements",
               "fill them in, as in `x.filled(0)`: there is no element without a value");
}

// An empty array that NumPy made float64 by default, as for `[]`, does not count as an array of
// floats.
py::object of_no_elements(const py::object& array, const DType& dtype) {
  const bool unsaid = dtype.kind != DTypeKind::floating &&
                      array.attr("size").cast<int64_t>() == 0 &&
                      array.attr("dtype").attr("name").cast<std::string>() == "float64";
  return unsaid ? array.attr("astype")(numpy_dtype(dtype.name)) : array;
}

// The value as a NumPy array of native byte order, or still in blocks, which NumPy takes for one.
// Lists of whole numbers past int64 stay whole
// numbers: NumPy would make float64 or objects of them.
py::object array_of(const Value& value) {
  const py::module_ np = objects::numpy();
  const py::object object = objects::object_of(value);
  if (objects::is_blocked(object)) return object;
  refuse_mask(value, object);
  py::object array = np.attr("asarray")(object);
  const char kind = kind_of(array);
  const bool is_numpy =
      py::isinstance(object, np.attr("ndarray")) || py::isinstance(object, np.attr("generic"));
  if (!is_numpy && (kind == 'f' || kind == 'O')) {
    const py::object exact = np.attr("asarray")(object, py::str("object"));
    bool all_whole = exact.attr("size").cast<int64_t>() > 0;
    bool any_negative = false;
    for (const py::handle element : exact.attr("flat")) {
      all_whole = PyLong_CheckExact(element.ptr()) != 0;
      if (!all_whole) break;
      any_negative = any_negative || element < py::int_(0);
    }
    if (all_whole) {
      try {
        array = exact.attr("astype")(any_negative ? "int64" : "uint64");
      } catch (const py::error_already_set&) {  // beyond 64 bits: refused by its kind
        array = exact;
      }
    }
  }
  const py::object dtype = array.attr("dtype");
  if (dtype.attr("isnative").cast<bool>()) return array;
  return array.attr("astype")(dtype.attr("newbyteorder")("="));
}

py::object limits_of(const DType& dtype) {
  return objects::numpy().attr("iinfo")(numpy_dtype(dtype.name));
}

// Throws unless every integer of `array` is in the range of `dtype`.
void check_range(const Value& value, const py::object& array, const DType& dtype) {
  const py::module_ np = objects::numpy();
  if (array.attr("size").cast<int64_t>() == 0 || kind_of(array) == 'b') return;
  const py::object limits = limits_of(dtype);
  const py::object builtin_int = py::module_::import("builtins").attr("int");
  const std::array<std::pair<const char*, bool>, 2> ends = {{{"argmin", true}, {"argmax", false}}};
  for (const auto& [find, is_low] : ends) {
    const py::object flat_index = array.attr(find)();
    const py::object extreme = builtin_int(array.attr("flat")[flat_index]);
    const bool fits = is_low ? extreme >= limits.attr("min") : extreme <= limits.attr("max");
    if (fits) continue;
    std::string place;
    if (array.attr("ndim").cast<int>() > 0) {
      std::vector<std::string> index;
      for (const py::handle i : np.attr("unravel_index")(flat_index, array.attr("shape"))) {
        index.push_back(py::str(i).cast<std::string>());
      }
      place = " at [" + join(index, ", ") + "]";
    }
    throw refuse(value, fmt::format("the value {}{} is not in the range of {}, {} to {}",
                                    py::str(extreme).cast<std::string>(), place, dtype.name,
                                    py::str(limits.attr("min")).cast<std::string>(),
                                    py::str(limits.attr("max")).cast<std::string>()));
  }
}

// A kernel takes complex numbers as pairs of floats, such as cuFloatComplex, whose dtype is a float.
std::string complex_hint(const DType& dtype) {
  std::string hint = "take its .real or .imag";
  if (dtype.name == "float32" || dtype.name == "float64") {
    hint += fmt::format(", or say `dtype: {}` if the kernel takes complex numbers",
                        dtype.name == "float32" ? "complex64" : "complex128");
  }
  return hint;
}

// Throws unless the elements may become `dtype` by a cast within their kind.
void check_kind(const Value& value, const py::object& array, const DType& dtype) {
  const char kind = kind_of(array);
  const std::string sides =
      fmt::format("the value is {}, which is not cast to {}", elements_text(array), dtype.name);
  const bool is_complex = kind == 'c' && dtype.kind == DTypeKind::complex;
  const bool is_number = kind == 'i' || kind == 'u' || kind == 'f' || kind == 'b' || is_complex;
  if (kind == 'O' || kind == 'U' || kind == 'S' || kind == 'V') {
    throw refuse(value, sides, kind == 'O' ? "only numbers of up to 64 bits can be passed" : "");
  }
  if (!is_number) throw refuse(value, sides, kind == 'c' ? complex_hint(dtype) : "");
  if (dtype.kind == DTypeKind::boolean) {
    if (kind != 'b') throw refuse(value, sides, "compare it, as in `x != 0`");
    return;
  }
  if (kind == 'b' && array.attr("ndim").cast<int>() == 0) {
    throw refuse(value, fmt::format("the value is a boolean, not a number for {}", dtype.name),
                 "write 0 or 1");
  }
  if (is_integer(dtype) && kind == 'f') {
    throw refuse(value, sides,
                 fmt::format("make it whole: NumPy takes a type, as in `np.zeros(n, np.{0})`, and "
                             "`np.rint(x).astype(np.{0})` rounds",
                             dtype.name));
  }
}

// References Python's memory; `array` is contiguous and of one of our dtypes.
ReferenceValue reference_over(const py::object& array, Shape shape) {
  const std::string name = array.attr("dtype").attr("name").cast<std::string>();
  const auto dtype = find_dtype(name);
  if (!dtype) throw internal_error("a reference is of dtype " + name);
  const py::buffer_info info = py::buffer(array).request();
  return {*dtype,
          std::move(shape),
          {static_cast<const std::byte*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)},
          objects::hold(array)};
}

// The NumPy dtype for handing over a reference; see the table of to_reference.
std::string reference_dtype(const Value& value, const py::object& array, const DType& output) {
  const char kind = kind_of(array);
  const auto width = array.attr("dtype").attr("itemsize").cast<uint32_t>();
  std::string name = array.attr("dtype").attr("name").cast<std::string>();
  if (!find_dtype(name)) {
    throw refuse(value,
                 fmt::format("the reference is {}, which cannot be compared with {}",
                             elements_text(array), output.name),
                 kind == 'f' ? "float64 is the widest" : "");
  }
  const bool is_whole = kind == 'i' || kind == 'u';
  if (output.kind == DTypeKind::boolean && kind == 'b') return name;
  if (is_integer(output) && is_whole) {
    return width >= output.bytes ? name
                                 : fmt::format("{}int{}", kind == 'u' ? "u" : "", output.bytes * 8);
  }
  // For a float that NumPy lacks, a dtype that has all its values.
  if (is_narrow_float(output) && (kind == 'f' || kind == 'b')) return width == 8 ? name : "float32";
  if (is_narrow_float(output) && is_whole) return "float64";
  if (output.kind == DTypeKind::floating && kind == 'f' && width >= output.bytes) return name;
  if (output.kind == DTypeKind::floating && is_whole) return name;
  const bool widens = output.kind == DTypeKind::floating ? kind == 'f' || kind == 'b'
                                                         : is_integer(output) && kind == 'b';
  if (widens) return std::string(output.name);
  throw refuse(value,
               fmt::format("the reference is {}, the output {}: they are of different kinds", name,
                           output.name),
               is_integer(output) ? "round it yourself, as in `np.rint(x).astype(np.int64)`" : "");
}

}  // namespace

namespace {

bool is_contiguous(const py::object& array) {
  return array.attr("flags").attr("c_contiguous").cast<bool>();
}

// Puts an array in blocks into one of `dtype`; returns false if an integer is out of its range.
bool put_blocks(const py::object& array, const py::object& view, const DType& dtype) {
  if (!is_integer(dtype) || kind_of(array) == 'b')
    return objects::put_blocks(array, view, std::nullopt);
  const py::object limits = limits_of(dtype);
  return objects::put_blocks(array, view, std::pair(limits.attr("min"), limits.attr("max")));
}

// Writes the elements of `array` to those of `view`, which are of `dtype`; both are NumPy's.
void assign(const Value& value, const py::object& view, const py::object& array,
            const DType& dtype) {
  check_kind(value, array, dtype);
  using namespace pybind11::literals;
  const objects::FloatingPointErrors strict("raise", "ignore");
  try {
    const bool in_blocks = objects::is_blocked(array) && is_contiguous(view);
    if (in_blocks && put_blocks(array, view, dtype)) return;
    if (is_integer(dtype)) check_range(value, array, dtype);
    objects::numpy().attr("copyto")(view, array, "casting"_a = "unsafe");
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_FloatingPointError)) throw;
    throw refuse(
        value,
        fmt::format("a finite value of {} is too large for {}", elements_text(array), dtype.name),
        "write np.inf if infinity is meant");
  }
}

template <typename Narrow>
void round_all(const Value& value, const double* from, std::span<std::byte> to,
               const DType& dtype) {
  for (size_t i = 0; i < to.size() / sizeof(Narrow); ++i) {
    const auto narrow = to_narrow<Narrow>(from[i]);
    const float kept = to_float(narrow);
    if (!std::isfinite(kept) && std::isfinite(from[i])) {
      throw refuse(value, fmt::format("the value {} is too large for {}", from[i], dtype.name),
                   "write np.inf if infinity is meant");
    }
    if (std::isnan(kept) && std::isinf(from[i])) {
      throw refuse(value, fmt::format("{} has no infinity", dtype.name));
    }
    std::memcpy(to.data() + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

// The same for a float that NumPy lacks.
void assign_narrow(const Value& value, const Array& result, const py::object& array) {
  const DType& dtype = result.dtype();
  check_kind(value, array, dtype);
  using namespace pybind11::literals;
  const py::module_ np = objects::numpy();
  const py::object shaped = np.attr("broadcast_to")(array, objects::shape_tuple(result.shape()));
  const py::object wide = np.attr("asarray")(shaped, "float64", "order"_a = "C");
  const auto* const from = static_cast<const double*>(py::buffer(wide).request().ptr);
  if (dtype.name == "bfloat16") round_all<BFloat16>(value, from, result.bytes(), dtype);
  if (dtype.name == "float8_e4m3fn") round_all<Float8E4M3>(value, from, result.bytes(), dtype);
  if (dtype.name == "float8_e5m2") round_all<Float8E5M2>(value, from, result.bytes(), dtype);
}

// Assigns each field separately, so that all of them are checked as arrays are.
void assign_fields(const Value& value, const py::object& view, const py::object& array,
                   const DType& dtype) {
  for (const Field& field : *dtype.fields) {
    const py::object to = view[field.name.c_str()];
    py::object from;
    try {
      from = array[field.name.c_str()];
      if (!py::isinstance<py::dict>(from)) from = objects::numpy().attr("asarray")(from);
    } catch (const py::error_already_set&) {
      throw refuse(value, fmt::format("the value has no field `{}`", field.name));
    }
    if (field.dtype.kind == DTypeKind::record) {
      assign_fields(value, to, from, field.dtype);
    } else {
      assign(value, to, from, field.dtype);
    }
  }
}

}  // namespace

Array to_array(const Value& value, const DType& dtype, const std::optional<Shape>& shape,
               Array::Access others) {
  return converting(value, [&] {
    const bool record = dtype.kind == DTypeKind::record;
    py::object array = record ? structured(value, dtype) : of_no_elements(array_of(value), dtype);
    const Shape own_shape = record ? extents(elements_shape(value, array, dtype)) : shape_of(array);
    if (shape && own_shape != *shape && !own_shape.empty()) {
      throw refuse(value,
                   "the value has shape " + shape_text(own_shape) + ", not " + shape_text(*shape));
    }
    Array result(dtype, shape.value_or(own_shape), others);
    if (is_narrow_float(dtype)) {
      assign_narrow(value, result, array);
      return result;
    }
    const py::object view = objects::numpy_view(result, objects::Access::writable);
    if (record) {
      assign_fields(value, view, array, dtype);
    } else {
      assign(value, view, array, dtype);
    }
    return result;
  });
}

std::vector<std::byte> scalar_bytes(const Value& value, const DType& dtype, size_t count) {
  const Array array = to_array(value, dtype);
  if (count > 1 && static_cast<size_t>(array.size()) != count) {
    throw refuse(value, fmt::format("the value has shape {}, and the parameter takes {} elements "
                                    "of {}",
                                    shape_text(array.shape()), count, dtype.name));
  }
  if (count == 1 && !array.shape().empty()) {
    throw refuse(value, fmt::format("the value is an array of shape {}, not a single {}",
                                    shape_text(array.shape()), dtype.name));
  }
  return {array.bytes().begin(), array.bytes().end()};
}

Value part_of(const Value& value, const DType& dtype, const Leaf& leaf) {
  if (leaf.path.empty()) return value;
  return converting(value, [&] {
    const bool record = dtype.kind == DTypeKind::record;
    py::object part = record ? structured(value, dtype)
                             : objects::numpy().attr("asarray")(objects::object_of(value));
    for (const std::string& name : split(leaf.path.substr(1), '.')) {
      const bool is_number =
          !py::isinstance<py::dict>(part) && kind_of(objects::numpy().attr("asarray")(part)) != 'V';
      const bool is_part = is_number && (name == "real" || name == "imag");
      if (is_part) part = objects::numpy().attr("asarray")(part);
      part = is_part ? part.attr(name.c_str()) : py::object(part[name.c_str()]);
    }
    return Value(value.expression(), value.on_error(), objects::hold(part));
  });
}

ReferenceValue to_reference(const Value& value, const DType& dtype, const Shape& shape) {
  return converting(value, [&] {
    const py::object array = of_no_elements(array_of(value), dtype);
    const std::string target = reference_dtype(value, array, dtype);
    const Shape own_shape = shape_of(array);
    const bool one_for_one = element_count(own_shape) == 1 && element_count(shape) == 1;
    if (own_shape != shape && !one_for_one) {
      const bool same_count = element_count(own_shape) == element_count(shape);
      throw refuse(
          value,
          "the reference has shape " + shape_text(own_shape) + ", the output " + shape_text(shape),
          same_count ? "use `.reshape(…)`"
                     : "a reference is not broadcast; use np.broadcast_to if that is meant");
    }
    using namespace pybind11::literals;
    return reference_over(
        objects::numpy().attr("asarray")(array, numpy_dtype(target), "order"_a = "C"), shape);
  });
}

ReferenceValue to_tolerance(const Value& value, const Shape& shape) {
  return converting(value, [&] {
    const py::module_ np = objects::numpy();
    py::object array = array_of(value);
    check_kind(value, array, *find_dtype("float64"));
    array = np.attr("asarray")(array, numpy_dtype("float64"));
    const py::object is_bound =
        np.attr("logical_and")(np.attr("isfinite")(array), np.attr("greater_equal")(array, 0.0));
    if (!np.attr("all")(is_bound).cast<bool>()) {
      throw refuse(value, "a tolerance must be finite and not negative");
    }
    Shape own_shape = shape_of(array);
    if (!own_shape.empty() && own_shape != shape) {
      try {
        array = np.attr("broadcast_to")(array, objects::shape_tuple(shape));
      } catch (const py::error_already_set&) {
        throw refuse(value, "a tolerance of shape " + shape_text(own_shape) +
                                " does not broadcast to the output's " + shape_text(shape));
      }
      own_shape = shape;
    }
    using namespace pybind11::literals;
    return reference_over(np.attr("asarray")(array, "order"_a = "C"), own_shape);
  });
}

}  // namespace warpmark
