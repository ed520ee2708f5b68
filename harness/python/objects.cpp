#include "python/objects.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>

#include "base/narrow_float.hpp"
#include "base/text.hpp"
#include "python/blocks.hpp"
#include "python/in_order_text.hpp"

namespace warpmark::objects {

namespace {

// Offers an array's memory by the buffer protocol. Untyped: NumPy gets dtype and shape beside it,
// so that no format strings are needed.
struct Mapping {
  std::shared_ptr<SharedMemory> memory;
  size_t bytes;
  Access access;

  py::buffer_info buffer() const {
    return {memory->bytes().data(),
            1,
            py::format_descriptor<uint8_t>::format(),
            1,
            {static_cast<py::ssize_t>(bytes)},
            {py::ssize_t{1}},
            access == Access::read_only};
  }
};

// In no module that Python could import: a host is one that has started already, when modules can
// no longer be built in. Called with Python's lock held.
void register_mapping() {
  static bool registered = false;
  if (registered) return;
  py::class_<Mapping>(py::handle(), "Mapping", py::buffer_protocol()).def_buffer(&Mapping::buffer);
  registered = true;
}

py::object plain_object(const PythonValue& value) {
  return std::visit([](const auto& plain) -> py::object { return py::cast(plain); }, value);
}

py::object scalar_object(const NumPyScalar& scalar) {
  const auto count = static_cast<int64_t>(scalar.bytes.size() / scalar.dtype.bytes);
  py::object array;
  if (is_narrow_float(scalar.dtype)) {
    array = widened(scalar.bytes, scalar.dtype, {count});
  } else {
    const py::bytes bytes(reinterpret_cast<const char*>(scalar.bytes.data()), scalar.bytes.size());
    array = numpy().attr("frombuffer")(bytes, dtype_object(scalar.dtype));
  }
  return count == 1 ? array.attr("__getitem__")(0) : array;
}

}  // namespace

std::shared_ptr<void> hold(py::object object) {
  return {object.release().ptr(), [](void* held) {
            const py::gil_scoped_acquire lock;
            Py_DECREF(static_cast<PyObject*>(held));
          }};
}

py::object own_module(const std::string& name, const char* text) {
  const std::string hidden = "warpmark " + name;  // a name that no import can have
  const py::object modules = py::module_::import("sys").attr("modules");
  if (modules.contains(hidden)) return modules[py::str(hidden)];
  const py::object module = py::module_::import("types").attr("ModuleType")(hidden);
  const auto builtins = py::module_::import("builtins");
  builtins.attr("exec")(builtins.attr("compile")(text, name + ".py", "exec"),
                        module.attr("__dict__"));
  modules[py::str(hidden)] = module;
  return module;
}

py::object object_of(const Value& value) {
  return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(value.object().get()));
}

py::module_ numpy() {
  return py::module_::import("numpy");
}

py::tuple shape_tuple(const Shape& shape) {
  py::tuple tuple(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) tuple[i] = shape[i];
  return tuple;
}

py::object dtype_object(const DType& dtype) {
  if (is_narrow_float(dtype)) return numpy().attr("dtype")(dtype.bytes == 1 ? "uint8" : "uint16");
  if (dtype.kind != DTypeKind::record) {
    return numpy().attr("dtype")(py::str(dtype.name.data(), dtype.name.size()));
  }
  py::list names, formats, offsets;
  for (const Field& field : *dtype.fields) {
    names.append(field.name);
    const py::object element = dtype_object(field.dtype);
    formats.append(field.shape.empty() ? element
                                       : py::make_tuple(element, shape_tuple(field.shape)));
    offsets.append(field.offset);
  }
  py::dict layout;
  layout["names"] = names;
  layout["formats"] = formats;
  layout["offsets"] = offsets;
  layout["itemsize"] = dtype.bytes;
  return numpy().attr("dtype")(layout);
}

py::object widened(std::span<const std::byte> bytes, const DType& dtype, const Shape& shape) {
  py::object array = numpy().attr("empty")(shape_tuple(shape), "float32");
  auto* const out = static_cast<float*>(py::buffer(array).request(true).ptr);
  const auto widen = [&](auto narrow) {
    for (size_t i = 0; i < bytes.size() / sizeof narrow; ++i) {
      std::memcpy(&narrow, bytes.data() + i * sizeof narrow, sizeof narrow);
      out[i] = to_float(narrow);
    }
  };
  if (dtype.name == "bfloat16") widen(BFloat16{});
  if (dtype.name == "float8_e4m3fn") widen(Float8E4M3{});
  if (dtype.name == "float8_e5m2") widen(Float8E5M2{});
  return array;
}

py::object numpy_view(const Array& array, Access access) {
  register_mapping();
  const py::object mapping = py::cast(Mapping{array.memory(), array.nbytes(), access});
  return numpy().attr("ndarray")(shape_tuple(array.shape()), dtype_object(array.dtype()), mapping);
}

py::object scope_object(const PythonScope::Entry& entry, Seen seen) {
  return std::visit(
      [seen](const auto& value) -> py::object {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, PythonValue>) return plain_object(value);
        if constexpr (std::is_same_v<T, NumPyScalar>) return scalar_object(value);
        if constexpr (std::is_same_v<T, Array>) {
          if (!is_narrow_float(value.dtype()))
            return seen_array(numpy_view(value, Access::read_only), seen);
          const py::object array = widened(value.bytes(), value.dtype(), value.shape());
          array.attr("flags").attr("writeable") = false;
          return seen_array(array, seen);
        }
        if constexpr (std::is_same_v<T, GeneratorKey>) return generator_object(value, seen);
        if constexpr (std::is_same_v<T, ArrayMap>) {
          py::dict arrays;
          for (const auto& [name, array] : value.arrays) {
            arrays[py::str(name)] = seen_array(numpy_view(array, Access::read_only), seen);
          }
          return arrays;
        }
      },
      entry);
}

py::object scope_object(const PythonScope& scope, const PythonScope::Entry& entry, Seen seen) {
  if (!scope.in_order()) return scope_object(entry, seen);
  return own_module("in_order", kInOrderText).attr("of")(scope_object(entry, Seen::by_function));
}

FloatingPointErrors::FloatingPointErrors(const char* overflow, const char* others) {
  using namespace pybind11::literals;
  before_ = numpy().attr("seterr")("over"_a = overflow, "divide"_a = others, "under"_a = others,
                                   "invalid"_a = others);
}

FloatingPointErrors::~FloatingPointErrors() {
  try {
    numpy().attr("seterr")(**before_);
  } catch (const py::error_already_set&) {  // a destructor never throws; the setting only warns
  }
}

std::string exception_text(const py::error_already_set& error) {
  constexpr size_t kLongest = 2000;
  std::string text = error.type().attr("__name__").cast<std::string>();
  try {
    const std::string reason = py::str(error.value()).cast<std::string>();
    if (!reason.empty()) text += ": " + reason;
  } catch (const py::error_already_set&) {
    text += ", whose text cannot be had";
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest) + " …";
  return printable(text);
}

}  // namespace warpmark::objects
