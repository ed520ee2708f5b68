// A picture as an element of a page: drawn text that explains one thing, and words beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/page/svg.hpp"

namespace warpmark {

/// Plain texts and an `<svg>` element, which are for page/picture.html in a page's `pictures`.
struct Picture {
  std::string caption;      ///< "read after write of tile"
  std::string svg;          ///< as PictureSvg makes it
  std::string remark = {};  ///< what it shows, and what to do about it
};

/// The values for page/picture.html, to be used within `{{#pictures}}`.
nlohmann::ordered_json picture_values(const std::vector<Picture>& pictures);

/// Takes pictures out of a page's values, from the first one on that no longer fits: a page stays
/// below 1 MB. Returns how many.
size_t drop_pictures(nlohmann::ordered_json& values);

/// Pictures are as wide as a phone shows them without scrolling.
constexpr double kPictureWidth = 384;
/// Text in the type of code: its width for one character, and how many fit side by side.
constexpr double kCodeWidth = 6.4;

/// A text in one line of at most `most` characters, the end of a longer one replaced by an ellipsis.
std::string shortened(const std::string& text, size_t most);

/// "M1 2h10v8h-10z": a box by its upper left corner.
std::string box_steps(double x, double y, double width, double height);
/// Lines from the upper right to the lower left within a box: shading that needs no colour.
std::string hatch_steps(double x, double y, double width, double height);

}  // namespace warpmark
