#include "python/properties.hpp"

#include <pybind11/embed.h>

#include "base/text.hpp"
#include "python/install_hint.hpp"
#include "python/objects.hpp"
#include "python/properties_text.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

py::object module_of_properties() {
  return objects::own_module("properties", kPropertiesText);
}

// The place of the value that a Misfit is about, or of the whole check.
Position place_of(const PropertyQuestion& question, const std::string& key) {
  const auto value = question.values.find(key);
  if (value != question.values.end()) return value->second.expression().position_of(1, 1);
  if (key == "args" && !question.args.empty()) {
    return question.args.front().expression().position_of(1, 1);
  }
  return question.where;
}

}  // namespace

std::string ask(Interpreter& python, const PropertyQuestion& question, const Array& array) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  try {
    const py::object module = module_of_properties();
    py::dict values;
    for (const auto& [key, value] : question.values) {
      values[py::str(key)] =
          py::make_tuple(objects::object_of(value), std::string(trim(value.expression().text)));
    }
    for (const auto& [key, value] : question.arrays) {
      values[py::str(key)] = py::make_tuple(objects::numpy_view(value, objects::Access::read_only),
                                            std::string(trim(question.texts.at(key))));
    }
    py::list args;
    for (const Value& one : question.args) args.append(objects::object_of(one));
    const objects::FloatingPointErrors quiet("ignore", "ignore");
    const py::object text = module.attr(("check_" + question.property).c_str())(
        question.name, objects::numpy_view(array, objects::Access::read_only), values, args,
        question.word);
    return text.is_none() ? "" : printable(text.cast<std::string>());
  } catch (const py::error_already_set& error) {
    if (error.matches(PyExc_ImportError)) {
      throw python.choice().lacks("SciPy, which `" + question.property + "` needs",
                                  objects::exception_text(error),
                                  install_hint(python.choice(), "scipy"));
    }
    if (!error.matches(module_of_properties().attr("Misfit"))) {
      throw verdict_error(
          "`" + question.property + "` cannot be checked: " + objects::exception_text(error),
          question.where);
    }
    const auto key = error.value().attr("key").cast<std::string>();
    throw verdict_error(printable(py::str(error.value()).cast<std::string>()),
                        place_of(question, key));
  }
}

}  // namespace warpmark
