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

namespace {

constexpr size_t kMostPictureBytes = 400'000;

// Follows the order of the page.
void drop_pictures_in(nlohmann::ordered_json& values, size_t& taken, size_t& dropped) {
  for (auto& [name, value] : values.items()) {
    if (name != "pictures" || !value.is_array()) {
      if (value.is_structured()) drop_pictures_in(value, taken, dropped);
      continue;
    }
    size_t fit = 0;
    for (; fit < value.size() && taken < kMostPictureBytes; ++fit)
      taken += value[fit].value("svg", "").size();
    dropped += value.size() - fit;
    value.erase(value.begin() + static_cast<std::ptrdiff_t>(fit), value.end());
  }
}

}  // namespace

size_t drop_pictures(nlohmann::ordered_json& values) {
  size_t taken = 0, dropped = 0;
  drop_pictures_in(values, taken, dropped);
  return dropped;
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
