// Places for labels in a picture: beside what they are of, none over another.
#pragma once

#include <optional>
#include <vector>

namespace warpmark {

struct LabelBox {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const LabelBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct LabelPoint {
  double x = 0, y = 0;
};

/// A label, and the point that it is beside.
struct LabelPlace {
  LabelBox box;
  LabelPoint at;
};

class LabelPlaces {
 public:
  /// All labels are within `room`.
  explicit LabelPlaces(LabelBox room) : room_(room) {}

  // Labels cover markers and lines only where no other place is left, lines before markers.
  void avoid_marker(double x, double y);
  void avoid_line(double x1, double y1, double x2, double y2);

  /// Takes the place of a label of that size that is near one of the points, covers no other label,
  /// and as little as can be of what is avoided. Nothing if there is none.
  std::optional<LabelPlace> take(const std::vector<LabelPoint>& points, double width,
                                 double height);

 private:
  bool is_free(const LabelBox& box) const;
  double cost_of_covering(const LabelBox& box) const;

  LabelBox room_;
  std::vector<LabelBox> markers_, lines_, taken_;
};

}  // namespace warpmark
