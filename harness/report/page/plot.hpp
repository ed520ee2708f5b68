// Plots as data: what is in them, and what a page needs of one that is drawn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpmark {

struct PlotLine {
  std::string label;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< of y's intervals; empty for none
  size_t colour = 0;              ///< counts from 0; eight are told apart, by their markers as well
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
  struct Point {
    std::string name;  ///< of its case in the suite: "dtype=float32,n=65536"
    double x = 0;      ///< flop/byte
    double y = 0;      ///< GFLOP/s
    double roof = 0;   ///< GFLOP/s that the roofs allow there
  };
  struct Group {
    std::string label;
    std::vector<Point> points;
  };
  /// The roofs of a device: a slope, and a level for each type. They meet at ridges.
  struct Roof {
    PlotLevel memory;              ///< GB/s
    std::vector<PlotLevel> peaks;  ///< GFLOP/s; none in journals that do not know them
  };
  std::vector<Group> groups;  ///< eight are told apart
  std::vector<Roof> roofs;    ///< one or more
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

/// A plot as an `<svg>` element, which is put into a page with bench.css as it is, and plain texts
/// that the page shows beside it.
struct DrawnPlot {
  struct Key {
    std::string sample;  ///< an `<svg>` element: the line and marker that the label is of
    std::string label;
  };
  std::string caption = {};
  std::string svg;
  std::vector<Key> keys = {};
  /// The points by the numbers that they have in the plot, from 1; empty if their names are there.
  std::vector<std::string> points = {};
  std::string remark = {};
};

}  // namespace warpmark
