#include "python/contents.hpp"

#include <pybind11/embed.h>

#include "python/contents_text.hpp"
#include "python/conversion.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

Array contents_of(Interpreter& python, const std::string& pattern, bool real_only,
                  const Shape& shape, const DType& dtype, const GeneratorKey& key,
                  const PythonExpression& expression) {
  python.require_numpy();
  const py::gil_scoped_acquire lock;
  try {
    const py::object made =
        objects::own_module("contents", kContentsText)
            .attr("make")(pattern, real_only, objects::shape_tuple(shape), std::string(dtype.name),
                          objects::scope_object(key, objects::Seen::by_function));
    return to_array(Value(expression, ExitCode::verdict, objects::hold(made)), dtype);
  } catch (const py::error_already_set& error) {
    throw verdict_error(
        "the contents `" + pattern + "` cannot be made: " + objects::exception_text(error),
        expression.position_of(1, 1));
  }
}

}  // namespace warpmark
