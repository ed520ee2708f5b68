#include "python/tensors.hpp"

#include <cstring>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "python/objects.hpp"
#include "python/tensors_text.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

// The Python with PyTorch. It need not be of libpython's version, as the front's must.
std::string python_with_torch(const Interpreter& python) {
  const std::string own = python.choice().python.executable.string();
  if (has_host_python()) return own;
  const PythonSearch search = PythonSearch::from_environment();
  if (!search.warpmark_python.empty()) return search.warpmark_python;
  return search.virtual_env.empty() ? own : search.virtual_env + "/bin/python3";
}

py::object module_of_tensors() {
  return objects::own_module("tensors", kTensorsText);
}

// Values of a call as tensor_server.py reads them: descriptions, and the arrays in their order.
class Values {
 public:
  void add(const PythonParameter& parameter, const PythonScope::Entry& entry) {
    py::dict described = std::visit([&](const auto& value) { return describe(value); }, entry);
    described["parameter"] = parameter.name;
    described["name"] = parameter.name;
    described["positional"] = parameter.positional_only;
    descriptions_.append(described);
  }

  const py::list& descriptions() const { return descriptions_; }
  const py::list& arrays() const { return arrays_; }

 private:
  static py::dict of_kind(const char* kind) {
    py::dict described;
    described["kind"] = kind;
    return described;
  }

  py::dict describe(const PythonValue& value) {
    py::dict described = of_kind("value");
    described["value"] = objects::scope_object(value, objects::Seen::by_function);
    return described;
  }

  py::dict describe(const NumPyScalar& value) {
    const py::object object = objects::scope_object(value, objects::Seen::by_function);
    return tensor(object, value.dtype, object.attr("size").cast<size_t>() == 1);
  }

  py::dict describe(const Array& value) {
    return tensor(objects::scope_object(value, objects::Seen::by_function), value.dtype(), false);
  }

  py::dict describe(const GeneratorKey& key) {
    const auto digest = Sha256().add(key.message()).finish();
    uint64_t seed = 0;
    std::memcpy(&seed, digest.data(), sizeof seed);
    py::dict described = of_kind("generator");
    described["seed"] = seed >> 1;  // PyTorch takes 64 bits with a sign
    return described;
  }

  py::dict describe(const ArrayMap& map) {
    py::list tensors;
    for (const auto& [name, array] : map.arrays) {
      py::dict one = describe(array);
      one["name"] = name;
      tensors.append(one);
    }
    py::dict described = of_kind("tensors");
    described["tensors"] = tensors;
    return described;
  }

  // `number`: the only element is passed as a number of Python.
  py::dict tensor(const py::object& array, const DType& dtype, bool number) {
    py::dict described = of_kind(number ? "number" : "tensor");
    described["dtype"] = std::string(dtype.name);
    described["carried"] = py::str(array.attr("dtype"));
    described["shape"] = py::list(array.attr("shape"));
    arrays_.append(array);
    return described;
  }

  py::list descriptions_, arrays_;
};

class Call {
 public:
  Call(const Interpreter& python, const PythonFunction& function, ExitCode on_error)
      : function_(function), on_error_(on_error), executable_(python_with_torch(python)) {}

  Value result(const PythonScope& scope) const {
    Values values;
    const py::list parameters = answer(py::list(), nullptr)["parameters"];
    for (const py::handle& one : parameters) {
      const PythonParameter parameter{one["name"].cast<std::string>(), one["default"].cast<bool>(),
                                      one["positional"].cast<bool>()};
      const PythonScope::Entry* entry = entry_for(parameter, scope);
      if (entry == nullptr && parameter.positional_only) break;  // the defaults of all behind it
      if (entry != nullptr) values.add(parameter, *entry);
    }
    const py::object array = answer(values.arrays(), &values.descriptions())["array"];
    return {function_.written, on_error_, objects::hold(array)};
  }

 private:
  Position suite() const { return function_.written.position_of(1, 1); }

  const PythonScope::Entry* entry_for(const PythonParameter& parameter,
                                      const PythonScope& scope) const {
    for (const auto& [name, entry] : scope.entries()) {
      if (!std::holds_alternative<GeneratorKey>(entry)) continue;
      if (parameter.name == "generator") return &entry;
      if (parameter.name == name && !parameter.has_default) {
        throw Error(on_error_, "`" + function_.name + "` wants NumPy's `" + name + "`", suite(),
                    "a function of PyTorch takes `generator`, a torch.Generator");
      }
    }
    return entry_of(function_, scope, parameter, "generator", on_error_);
  }

  // The answer of the process; an error in it is thrown. `values` is null for the question which
  // parameters there are.
  py::dict answer(const py::list& arrays, const py::list* values) const {
    const std::string file = absolute_name(function_);
    py::dict request;
    request["file"] = file;
    request["name"] = function_.name;
    if (values != nullptr) request["values"] = *values;
    const py::object module = module_of_tensors();
    try {
      py::dict answer = module.attr("ask")(executable_, kTensorServerText, request, arrays);
      if (answer.contains("missing")) throw missing(answer["missing"].cast<std::string>());
      if (answer.contains("error")) throw refusal(answer, file);
      return answer;
    } catch (const py::error_already_set& error) {
      if (error.matches(module.attr("Ended"))) {
        const auto how = py::str(error.value()).cast<std::string>();
        throw Error(on_error_, "the process that runs `" + function_.name + "` ended with " + how,
                    suite());
      }
      if (error.matches(PyExc_OSError)) throw missing(objects::exception_text(error));
      throw Error(on_error_,
                  "`" + function_.name +
                      "` cannot be called with tensors: " + objects::exception_text(error),
                  suite());
    }
  }

  Error missing(const std::string& why) const {
    return {ExitCode::environment,
            "`" + function_.written.text + "` needs PyTorch, and " + executable_ + " has none (" +
                printable(why) + ")",
            suite(),
            "install it there, as by `pip install torch`, or name a Python that has it in "
            "VIRTUAL_ENV"};
  }

  Error refusal(const py::dict& answer, const std::string& file) const {
    const auto text = printable(answer["error"].cast<std::string>());
    auto hint = printable(answer["hint"].cast<std::string>());
    const int line = answer["line"].cast<int>();
    if (line == 0) return {on_error_, text, suite(), hint};
    if (hint.empty() && suite().known()) hint = "it is called from " + suite().text();
    return {on_error_, text, {display_path(file), line, 0}, hint};
  }

  const PythonFunction& function_;
  ExitCode on_error_;
  std::string executable_;
};

}  // namespace

Value call_with_tensors(Interpreter& python, const PythonFunction& function,
                        const PythonScope& scope, ExitCode on_error) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  return Call(python, function, on_error).result(scope);
}

}  // namespace warpmark
