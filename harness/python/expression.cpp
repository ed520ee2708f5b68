#include "python/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

constexpr const char* kFileName = "<warpmark expression>";

// The text as Python gets it, and how its places differ from those of the YAML value.
struct Source {
  std::string text;
  int lines_skipped = 0;    ///< blank lines before it
  int columns_skipped = 0;  ///< columns skipped in its first line; -1 for the parenthesis that lets
                            ///< lines break
};

Source source_of(const PythonExpression& expression) {
  const std::string& text = expression.text;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) throw usage_error("the expression is empty", expression.where);
  Source source;
  source.lines_skipped =
      static_cast<int>(std::ranges::count(std::string_view(text).substr(0, first), '\n'));
  const size_t newline = text.rfind('\n', first);
  source.columns_skipped =
      static_cast<int>(first - (newline == std::string::npos ? 0 : newline + 1));
  source.text = trim(text);
  if (source.text.find('\n') != std::string::npos) {
    source.text = "(" + source.text + "\n)";  // the last line may end in a comment
    --source.columns_skipped;
  }
  return source;
}

Position place(const PythonExpression& expression, const Source& source, int line, int column) {
  if (line <= 0) return expression.position_of(1, 1);
  if (line == 1) column += source.columns_skipped;
  return expression.position_of(line + source.lines_skipped, std::max(column, 1));
}

int int_attribute(const py::object& object, const char* name) {
  const py::object value = py::getattr(object, name, py::none());
  return py::isinstance<py::int_>(value) ? value.cast<int>() : 0;
}

// The place in our text of the innermost call that raised.
Position raised_at(const py::error_already_set& error, const PythonExpression& expression,
                   const Source& source) {
  if (error.matches(PyExc_SyntaxError)) {
    const py::object& exception = error.value();
    const bool ours = py::getattr(exception, "filename", py::none()).equal(py::str(kFileName));
    return place(expression, source, ours ? int_attribute(exception, "lineno") : 0,
                 int_attribute(exception, "offset"));
  }
  int line = 0;
  int column = 0;
  py::object trace = error.trace() ? error.trace() : py::none();
  for (; !trace.is_none(); trace = trace.attr("tb_next")) {
    const py::object code = trace.attr("tb_frame").attr("f_code");
    if (code.attr("co_filename").cast<std::string>() != kFileName) continue;
    line = int_attribute(trace, "tb_lineno");
    column = 0;
    if (!py::hasattr(code, "co_positions")) continue;  // Python before 3.11
    const py::list positions(code.attr("co_positions")());
    const auto instruction = static_cast<size_t>(int_attribute(trace, "tb_lasti")) / 2;
    if (instruction >= positions.size()) continue;
    const py::tuple span = positions[instruction];
    if (py::isinstance<py::int_>(span[2])) column = span[2].cast<int>() + 1;
  }
  return place(expression, source, line, column);
}

std::string excerpt(const std::string& text) {
  constexpr size_t kLongest = 60;
  std::string line(trim(text));
  std::ranges::replace(line, '\n', ' ');
  return printable(line.size() > kLongest ? line.substr(0, kLongest) + " …" : line);
}

// True if `text` contains `word` as a whole name.
bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) {
      return true;
    }
  }
  return false;
}

std::string hint_for(const py::error_already_set& error, const PythonExpression& expression,
                     const std::vector<std::string>& names) {
  if (error.matches(PyExc_SyntaxError)) {
    const py::object is_keyword = py::module_::import("keyword").attr("iskeyword");
    for (const std::string& name : names) {
      if (is_keyword(name).cast<bool>() && has_word(expression.text, name)) {
        return "`" + name + "` is a word of Python's own; give the argument another name";
      }
    }
  }
  if (error.matches(PyExc_NameError)) {
    // NameError.name came with Python 3.10; its text has always quoted the name.
    const std::vector<std::string> parts = split(py::str(error.value()).cast<std::string>(), '\'');
    const std::string near = parts.size() > 1 ? nearest(parts[1], names) : "";
    return near.empty() ? "names here: " + join(names, ", ") : "did you mean `" + near + "`?";
  }
  const std::string text = objects::exception_text(error);
  if (text.find("read-only") != std::string::npos) {
    return "an expression cannot change an argument; work on a copy, as in `x.copy()`";
  }
  return "";
}

Error failure(const py::error_already_set& error, const PythonExpression& expression,
              const Source& source, const std::vector<std::string>& names, ExitCode code) {
  const bool is_syntax = error.matches(PyExc_SyntaxError);
  const std::string reason = is_syntax
                                 ? printable(py::str(error.value().attr("msg")).cast<std::string>())
                                 : objects::exception_text(error);
  return {code,
          (is_syntax ? "`" + excerpt(expression.text) + "` is not a Python expression: "
                     : "cannot evaluate `" + excerpt(expression.text) + "`: ") +
              reason,
          raised_at(error, expression, source), hint_for(error, expression, names)};
}

py::object compile(const Source& source) {
  return py::module_::import("builtins").attr("compile")(source.text, kFileName, "eval");
}

// Builtins for text that is evaluated while suites are listed: none that imports, reads or asks.
py::dict harmless_builtins() {
  const py::dict all = py::module_::import("builtins").attr("__dict__");
  py::dict harmless = all.attr("copy")();
  for (const char* name : {"__import__", "breakpoint", "compile", "eval", "exec", "exit", "help",
                           "input", "open", "quit"}) {
    harmless.attr("pop")(name, py::none());
  }
  return harmless;
}

PythonValue list_element(const py::handle& element, size_t index,
                         const PythonExpression& expression) {
  const auto refuse = [&](const std::string& why) {
    return usage_error(
        "element " + std::to_string(index) + " of `" + excerpt(expression.text) + "` " + why,
        expression.position_of(1, 1));
  };
  if (py::isinstance<py::bool_>(element)) return element.cast<bool>();
  if (py::isinstance<py::str>(element)) return element.cast<std::string>();
  if (py::isinstance<py::float_>(element)) {
    const double value = element.cast<double>();
    if (!std::isfinite(value)) throw refuse("is not finite");
    return value;
  }
  if (!py::isinstance<py::int_>(element)) {
    throw refuse("is a " +
                 py::str(py::type::handle_of(element).attr("__name__")).cast<std::string>() +
                 ", not a number, text or boolean");
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(element.ptr(), &overflow);
  if (overflow != 0) throw refuse("does not fit 64 bits");
  return value;
}

}  // namespace

Position PythonExpression::position_of(int line, int column) const {
  if (!where.known()) return where;
  if (text.find('\n') != std::string::npos) return {where.file, where.line + line, 0};
  if (where.column == 0) return where;
  return {where.file, where.line, where.column + column - 1 + (quoted ? 1 : 0)};
}

PythonExpression expression_from(const std::string& text, const Position& first) {
  PythonExpression expression{text, first, false};
  if (text.find('\n') != std::string::npos && first.line > 1) --expression.where.line;
  return expression;
}

Value::Value(PythonExpression expression, ExitCode on_error, std::shared_ptr<void> object)
    : expression_(std::move(expression)), on_error_(on_error), object_(std::move(object)) {}

Value evaluate(Interpreter& python, const PythonExpression& expression, const PythonScope& scope,
               ExitCode on_error) {
  python.require_numpy();
  const Source source = source_of(expression);
  const py::gil_scoped_acquire lock;
  std::vector<std::string> names = scope.names();
  names.emplace_back("np");
  try {
    // All names are globals: comprehensions and lambdas do not see the locals of eval.
    py::dict globals;
    globals["__builtins__"] = py::module_::import("builtins");
    globals["np"] = objects::numpy();
    for (const auto& [name, entry] : scope.entries()) {
      globals[py::str(name)] = objects::scope_object(scope, entry, objects::Seen::by_expression);
    }
    const objects::FloatingPointErrors quiet("ignore", "ignore");
    const py::object eval = py::module_::import("builtins").attr("eval");
    return {expression, on_error, objects::hold(eval(compile(source), globals))};
  } catch (const py::error_already_set& error) {
    if (error.matches(PyExc_MemoryError)) {
      throw NoMemoryError(on_error, printable(py::str(error.value()).cast<std::string>()),
                          raised_at(error, expression, source));
    }
    throw failure(error, expression, source, names, on_error);
  }
}

void check_syntax(Interpreter& /*python*/, const PythonExpression& expression) {
  const Source source = source_of(expression);
  const py::gil_scoped_acquire lock;
  try {
    compile(source);
  } catch (const py::error_already_set& error) {
    throw failure(error, expression, source, {}, ExitCode::usage);
  }
}

std::vector<PythonValue> evaluate_list_with_builtins_only(Interpreter& /*python*/,
                                                          const PythonExpression& expression) {
  const Source source = source_of(expression);
  const py::gil_scoped_acquire lock;
  try {
    py::dict globals;
    globals["__builtins__"] = harmless_builtins();
    const py::object result =
        py::module_::import("builtins").attr("eval")(compile(source), globals);
    const py::object range = py::module_::import("builtins").attr("range");
    if (!py::isinstance<py::list>(result) && !py::isinstance<py::tuple>(result) &&
        !py::isinstance(result, range)) {
      throw usage_error(
          "`" + excerpt(expression.text) + "` is a " +
              py::str(py::type::handle_of(result).attr("__name__")).cast<std::string>() +
              ", not a list",
          expression.position_of(1, 1));
    }
    std::vector<PythonValue> values;
    for (const py::handle element : result) {
      values.push_back(list_element(element, values.size(), expression));
    }
    return values;
  } catch (const py::error_already_set& error) {
    const Error described = failure(error, expression, source, {}, ExitCode::usage);
    if (!error.matches(PyExc_NameError)) throw described;
    throw usage_error(described.message(), described.where(),
                      "a computed list sees Python's builtins only: no NumPy, no other axes");
  }
}

}  // namespace warpmark
