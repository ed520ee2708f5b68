#include "python/function.hpp"

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

Error at_suite(const PythonFunction& function, ExitCode code, const std::string& message,
               const std::string& hint = {}) {
  return {code, message, function.written.position_of(1, 1), hint};
}

int whole(const py::handle& value) {
  return py::isinstance<py::int_>(value) ? value.cast<int>() : 0;
}

// The line of the file that the exception passed last, or that is no Python; 0 if there is none.
Position raised_at(const py::error_already_set& error, const std::string& file) {
  const std::string shown = display_path(file);
  if (error.matches(PyExc_SyntaxError)) {
    const py::object& exception = error.value();
    if (py::getattr(exception, "filename", py::none()).equal(py::str(file))) {
      return {shown, whole(py::getattr(exception, "lineno", py::none())),
              whole(py::getattr(exception, "offset", py::none()))};
    }
  }
  Position where;
  py::object trace = error.trace() ? error.trace() : py::none();
  for (; !trace.is_none(); trace = trace.attr("tb_next")) {
    const py::object code = trace.attr("tb_frame").attr("f_code");
    if (code.attr("co_filename").cast<std::string>() != file) continue;
    where = {shown, whole(trace.attr("tb_lineno")), 0};
  }
  return where;
}

// An error in the file itself, or in what it called.
Error raised(const py::error_already_set& error, const PythonFunction& function,
             const std::string& what, ExitCode code) {
  const std::string reason =
      error.matches(PyExc_SyntaxError)
          ? "it is not Python: " + printable(py::str(error.value().attr("msg")).cast<std::string>())
          : objects::exception_text(error);
  const Position suite = function.written.position_of(1, 1);
  Position where = raised_at(error, absolute_name(function));
  std::string hint = suite.known() ? "it is called from " + suite.text() : "";
  if (!where.known()) {
    where = suite;
    hint.clear();
  }
  if (error.matches(PyExc_ImportError)) {
    hint = "such a file can import installed packages, but no files beside it";
  }
  return {code, what + ": " + reason, where, hint};
}

std::string read_python(const PythonFunction& function, ExitCode code) {
  try {
    return read_file(function.file);
  } catch (const Error& error) {
    throw at_suite(function, code, error.message());
  }
}

py::object compile(const std::string& text, const std::string& file) {
  return py::module_::import("builtins").attr("compile")(text, file, "exec");
}

// The module of a file, run at the first call. sys.modules keeps it, as dataclasses and pickle want
// it; its name there can meet no import.
py::object module_of(const PythonFunction& function, ExitCode code) {
  const std::string file = absolute_name(function);
  const std::string name = "warpmark file " + Sha256().add_field(file).finish_hex();
  const py::object modules = py::module_::import("sys").attr("modules");
  if (modules.contains(name)) return modules[py::str(name)];
  const std::string text = read_python(function, code);
  try {
    py::object module = py::module_::import("types").attr("ModuleType")(name);
    module.attr("__file__") = file;
    modules[py::str(name)] = module;
    const objects::FloatingPointErrors quiet("ignore", "ignore");
    py::module_::import("builtins").attr("exec")(compile(text, file), module.attr("__dict__"));
    return module;
  } catch (const py::error_already_set& error) {
    modules.attr("pop")(name, py::none());
    throw raised(error, function, "cannot load `" + function.file.filename().string() + "`", code);
  }
}

py::object function_of(const PythonFunction& function, const py::object& module, ExitCode code) {
  py::object found = py::getattr(module, function.name.c_str(), py::none());
  if (PyCallable_Check(found.ptr()) != 0) return found;
  const std::string file = function.file.filename().string();
  if (!found.is_none()) {
    throw at_suite(function, code, "`" + function.name + "` of " + file + " is no function");
  }
  std::vector<std::string> known;
  for (const auto& [key, value] : py::dict(module.attr("__dict__"))) {
    if (py::isinstance<py::function>(value)) known.push_back(key.cast<std::string>());
  }
  const std::string near = nearest(function.name, known);
  throw at_suite(function, code, "there is no function `" + function.name + "` in " + file,
                 !near.empty()   ? "did you mean `" + near + "`?"
                 : known.empty() ? "the file has no functions"
                                 : "it has " + join(known, ", "));
}

// The arguments of a call: by position, and by name.
struct Arguments {
  py::list positional;
  py::dict named;
};

class Binder {
 public:
  Binder(const PythonFunction& function, const PythonScope& scope, ExitCode code)
      : function_(function), scope_(scope), code_(code) {}

  Arguments bind(const py::object& callable) const {
    const py::module_ inspect = py::module_::import("inspect");
    const py::object kinds = inspect.attr("Parameter");
    Arguments arguments;
    const py::object parameters = inspect.attr("signature")(callable).attr("parameters");
    for (const py::handle one : parameters.attr("values")()) {
      const py::object kind = one.attr("kind");
      if (kind.equal(kinds.attr("VAR_POSITIONAL")) || kind.equal(kinds.attr("VAR_KEYWORD"))) {
        continue;
      }
      const PythonParameter parameter{one.attr("name").cast<std::string>(),
                                      !one.attr("default").is(kinds.attr("empty")),
                                      kind.equal(kinds.attr("POSITIONAL_ONLY"))};
      const py::object value = find(parameter);
      if (!value) {
        if (parameter.positional_only) break;  // its default, and those behind it
        continue;
      }
      if (parameter.positional_only) {
        arguments.positional.append(value);
      } else {
        arguments.named[py::str(parameter.name)] = value;
      }
    }
    return arguments;
  }

 private:
  // Nothing if the scope has no such name and the parameter's default serves.
  py::object find(const PythonParameter& parameter) const {
    if (parameter.name == "np") return objects::numpy();
    const PythonScope::Entry* entry = entry_of(function_, scope_, parameter, "np", code_);
    return entry == nullptr ? py::object()
                            : objects::scope_object(scope_, *entry, objects::Seen::by_function);
  }

  const PythonFunction& function_;
  const PythonScope& scope_;
  ExitCode code_;
};

}  // namespace

std::string absolute_name(const PythonFunction& function) {
  return std::filesystem::absolute(function.file).lexically_normal().string();
}

const PythonScope::Entry* entry_of(const PythonFunction& function, const PythonScope& scope,
                                   const PythonParameter& parameter, const std::string& also,
                                   ExitCode on_error) {
  for (const auto& [known, entry] : scope.entries()) {
    if (known == parameter.name) return &entry;
  }
  if (parameter.has_default) return nullptr;
  std::vector<std::string> names = scope.names();
  names.push_back(also);
  const std::string near = nearest(parameter.name, names);
  throw at_suite(
      function, on_error,
      "`" + function.name + "` wants `" + printable(parameter.name) + "`, which there is not",
      near.empty() ? "parameters can be named " + join(names, ", ")
                   : "did you mean `" + near + "`?");
}

PythonFunction python_function(const PythonExpression& written,
                               const std::filesystem::path& folder) {
  const size_t colon = written.text.rfind(':');
  if (colon == std::string::npos) {
    throw usage_error("`" + written.text + "` names no function of a Python file", written.where);
  }
  return {folder / written.text.substr(0, colon), written.text.substr(colon + 1), written};
}

Value call(Interpreter& python, const PythonFunction& function, const PythonScope& scope,
           ExitCode on_error) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  const std::string what = "`" + function.name + "` failed";
  try {
    const py::object callable = function_of(function, module_of(function, on_error), on_error);
    const Arguments arguments = Binder(function, scope, on_error).bind(callable);
    const objects::FloatingPointErrors quiet("ignore", "ignore");
    return {function.written, on_error,
            objects::hold(callable(*arguments.positional, **arguments.named))};
  } catch (const py::error_already_set& error) {
    throw raised(error, function, what, on_error);
  }
}

namespace {

std::string type_name(const py::object& value) {
  return py::type::handle_of(value).attr("__name__").cast<std::string>();
}

std::optional<Error> answer_of(const PythonFunction& function, const py::object& value,
                               ExitCode code) {
  const std::string name = "the check `" + function.name + "`";
  const py::module_ numpy = objects::numpy();
  if (py::isinstance<py::bool_>(value) || py::isinstance(value, numpy.attr("bool_"))) {
    if (value.attr("__bool__")().cast<bool>()) return std::nullopt;
    return at_suite(function, code, name + " returned False",
                    "it may return a text instead, which says what is wrong");
  }
  if (py::isinstance<py::str>(value)) {
    return at_suite(function, code, name + " says: " + printable(value.cast<std::string>()));
  }
  if (value.is_none()) {
    throw at_suite(function, code, name + " returns no verdict",
                   "return True, False, or a text that says what is wrong, also behind `assert`");
  }
  const bool is_array = py::isinstance(value, numpy.attr("ndarray"));
  throw at_suite(
      function, code,
      name + " must return True, False or a text, and returned " +
          (is_array ? "an array" : "a value of type " + printable(type_name(value))),
      is_array ? "`.all()` makes one truth of an array, as in `return (a > 0).all()`" : "");
}

}  // namespace

std::optional<Error> ask(Interpreter& python, const PythonFunction& function,
                         const PythonScope& scope, ExitCode on_error) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  const py::object callable = function_of(function, module_of(function, on_error), on_error);
  const Arguments arguments = Binder(function, scope, on_error).bind(callable);
  const objects::FloatingPointErrors quiet("ignore", "ignore");
  py::object value;
  try {
    value = callable(*arguments.positional, **arguments.named);
  } catch (const py::error_already_set& error) {
    return raised(error, function, "the check `" + function.name + "` failed", on_error);
  }
  return answer_of(function, value, on_error);
}

std::vector<std::string> parameters_of(Interpreter& python, const PythonFunction& function,
                                       ExitCode on_error) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  const py::object callable = function_of(function, module_of(function, on_error), on_error);
  const py::module_ inspect = py::module_::import("inspect");
  const py::object kinds = inspect.attr("Parameter");
  std::vector<std::string> names;
  const py::object parameters = inspect.attr("signature")(callable).attr("parameters");
  for (const py::handle parameter : parameters.attr("values")()) {
    const py::object kind = parameter.attr("kind");
    if (kind.equal(kinds.attr("VAR_POSITIONAL")) || kind.equal(kinds.attr("VAR_KEYWORD"))) continue;
    names.push_back(parameter.attr("name").cast<std::string>());
  }
  return names;
}

void check_syntax(Interpreter& /*python*/, const PythonFunction& function) {
  const py::gil_scoped_acquire lock;
  const std::string text = read_python(function, ExitCode::usage);
  try {
    compile(text, absolute_name(function));
  } catch (const py::error_already_set& error) {
    throw raised(error, function, "cannot load `" + function.file.filename().string() + "`",
                 ExitCode::usage);
  }
}

}  // namespace warpmark
