// An axis of a plot: its scale, and the ticks on it.
#pragma once

#include <string>
#include <vector>

namespace warpmark {

struct PlotTick {
  double value = 0;
  std::string text;
  bool is_name = false;  ///< then `^` is a character like others
};

/// From values to places in a picture.
class PlotScale {
 public:
  /// The ends differ; on a logarithmic scale both are positive.
  PlotScale(double low, double high, bool logarithmic);
  /// Sets the places of both ends.
  void set_places(double of_low, double of_high);
  double place_of(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double share_of(double value) const;

  double low_, high_;
  bool logarithmic_;
  double of_low_ = 0, of_high_ = 1;
};

struct DrawnAxis {
  std::string title;
  PlotScale scale;
  std::vector<PlotTick> ticks = {};
};

/// "4096", "0.25"; whole powers of two from "2^10" and of ten from "10^6" as such.
std::string tick_text(double value);

/// Round values of a linear scale, some four to eight.
std::vector<PlotTick> linear_ticks(double low, double high);
/// Powers of ten of a logarithmic one; where there are few, with 2 and 5 times them, or round values.
std::vector<PlotTick> decade_ticks(double low, double high);
/// The values that were measured.
std::vector<PlotTick> value_ticks(std::vector<double> values);

}  // namespace warpmark
