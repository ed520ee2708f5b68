#include "python/plots.hpp"

#include <pybind11/embed.h>
#include <pybind11/stl.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "python/objects.hpp"
#include "python/plots_text.hpp"

namespace warpmark {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kModule = "warpmark plots";  // a name that no import can have

py::str text_of(const std::string& text) {
  return py::str(printable(text));
}

py::dict dict_of(const PlotLine& line) {
  return py::dict("label"_a = text_of(line.label), "x"_a = line.x, "y"_a = line.y,
                  "low"_a = line.low, "high"_a = line.high, "colour"_a = line.colour,
                  "dashed"_a = line.dashed);
}

py::list list_of(const std::vector<PlotLevel>& levels) {
  py::list list;
  for (const PlotLevel& level : levels) {
    list.append(py::dict("label"_a = text_of(level.label), "value"_a = level.value));
  }
  return list;
}

py::dict dict_of(const LinePlot& plot) {
  py::list lines, names;
  for (const std::string& name : plot.x_names) names.append(text_of(name));
  for (const PlotLine& line : plot.lines) lines.append(dict_of(line));
  return py::dict("x_label"_a = text_of(plot.x_label), "y_label"_a = text_of(plot.y_label),
                  "log_x"_a = plot.log_x, "log_y"_a = plot.log_y, "lines"_a = lines,
                  "levels"_a = list_of(plot.levels), "x_names"_a = names);
}

py::dict dict_of(const StripPlot& plot) {
  py::list rows;
  for (const StripRow& row : plot.rows) {
    rows.append(py::dict("label"_a = text_of(row.label), "values"_a = row.values, "q1"_a = row.q1,
                         "median"_a = row.median, "q3"_a = row.q3));
  }
  return py::dict("x_label"_a = text_of(plot.x_label), "rows"_a = rows);
}

py::dict dict_of(const RooflinePlot& plot) {
  py::list groups;
  for (const RooflinePlot::Group& group : plot.groups) {
    groups.append(py::dict("label"_a = text_of(group.label), "x"_a = group.x, "y"_a = group.y));
  }
  return py::dict("groups"_a = groups, "memory"_a = list_of(plot.memory),
                  "peaks"_a = list_of(plot.peaks));
}

// Takes Python's lock; what Matplotlib raises at sound numbers is a mistake of ours.
template <typename Plot>
std::string call(const char* function, const Plot& plot, size_t number) {
  const py::gil_scoped_acquire lock;
  try {
    const py::object module = py::module_::import("sys").attr("modules")[kModule];
    return module.attr(function)(dict_of(plot), number).template cast<std::string>();
  } catch (const py::error_already_set& error) {
    throw internal_error("a picture cannot be drawn: " + objects::exception_text(error));
  }
}

}  // namespace

Plots::Plots(Interpreter& python) : python_(python) {
  python_.require_numpy();
  const py::gil_scoped_acquire lock;
  const py::object modules = py::module_::import("sys").attr("modules");
  if (modules.contains(kModule)) return;
  try {
    const py::object module = py::module_::import("types").attr("ModuleType")(kModule);
    const auto builtins = py::module_::import("builtins");
    builtins.attr("exec")(builtins.attr("compile")(kPlotsText, "plots.py", "exec"),
                          module.attr("__dict__"));
    modules[py::str(kModule)] = module;
  } catch (const py::error_already_set& error) {
    throw python_.choice().lacks("Matplotlib", objects::exception_text(error),
                                 "install python3-matplotlib, or `-m pip install matplotlib`");
  }
}

std::string Plots::draw(const LinePlot& plot) {
  return call("draw_lines", plot, drawn_++);
}

std::string Plots::draw(const RooflinePlot& plot) {
  return call("draw_roofline", plot, drawn_++);
}

std::string Plots::draw(const StripPlot& plot) {
  return call("draw_strips", plot, drawn_++);
}

}  // namespace warpmark
