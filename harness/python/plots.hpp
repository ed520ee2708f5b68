// Pictures as SVG, drawn by Matplotlib in the embedded Python.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "python/interpreter.hpp"

namespace warpmark {

struct PlotLine {
  std::string label;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< of y's intervals; empty for none
  size_t colour = 0;              ///< counts from 0; eight are told apart
  bool dashed = false;
};

/// A horizontal line that others are held against.
struct PlotLevel {
  std::string label;
  double value = 0;
};

struct LinePlot {
  std::string x_label, y_label;
  std::vector<std::string> x_names;  ///< of 0, 1, … to the right; empty where numbers are
  bool log_x = true, log_y = true;
  std::vector<PlotLine> lines;
  std::vector<PlotLevel> levels;
};

/// Points under roofs, both axes logarithmic.
struct RooflinePlot {
  struct Group {
    std::string label;
    std::vector<double> x;  ///< flop a byte
    std::vector<double> y;  ///< GFLOP/s
  };
  std::vector<Group> groups;      ///< eight are told apart
  std::vector<PlotLevel> memory;  ///< GB/s; one or more
  std::vector<PlotLevel> peaks;   ///< GFLOP/s
};

/// A box with the samples as points, from above to below in the order of time.
struct StripRow {
  std::string label;
  std::vector<double> values;
  double q1 = 0, median = 0, q3 = 0;
};

struct StripPlot {
  std::string x_label;
  std::vector<StripRow> rows;
};

/// Draws to `<svg>` elements for inclusion in HTML. Their colours are the CSS variables --ink,
/// --faint and --c0 to --c7, so that they follow the page's scheme; fonts are the page's. Texts are
/// escaped, and mathematics is not read from them. Equal plots give equal bytes with one
/// Matplotlib.
class Plots {
 public:
  /// Imports NumPy and Matplotlib. Throws an environment error that names the interpreter where one
  /// of them cannot be had.
  explicit Plots(Interpreter& python);

  std::string draw(const LinePlot& plot);
  std::string draw(const StripPlot& plot);
  std::string draw(const RooflinePlot& plot);

 private:
  Interpreter& python_;
  size_t drawn_ = 0;  ///< ids in the SVG count on, as they share the page
};

}  // namespace warpmark
