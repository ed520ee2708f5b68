#include "report/page/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/text_line.hpp"

namespace warpmark {

nlohmann::ordered_json picture_values(const std::vector<Picture>& pictures) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const Picture& picture : pictures) {
    values.push_back(
        {{"caption", picture.caption}, {"svg", picture.svg}, {"remark", picture.remark}});
  }
  return values;
}

std::string shortened(const std::string& text, size_t most) {
  const std::string line = in_one_line(text);
  if (columns(line) <= most) return line;
  size_t end = 0;
  for (size_t shown = 0; end < line.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0U) != 0x80U;
    if (begins && shown++ == most - 1) break;
  }
  return line.substr(0, end) + "…";
}

std::string box_steps(double x, double y, double width, double height) {
  return fmt::format("M{:.4g} {:.4g}h{:.4g}v{:.4g}h-{:.4g}z", x, y, width, height, width);
}

std::string hatch_steps(double x, double y, double width, double height) {
  constexpr double kApart = 5;
  std::string steps;
  for (double at = kApart; at < width + height; at += kApart) {
    const double right = std::min(at, width), bottom = std::min(at, height);
    const double length = right - (at - bottom);  // of a line at 45 degrees, to either side
    if (length < 0.5) continue;
    steps +=
        fmt::format("M{:.4g} {:.4g}l-{:.3g} {:.3g}", x + right, y + (at - right), length, length);
  }
  return steps;
}

}  // namespace warpmark
