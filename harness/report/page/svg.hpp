// A picture as SVG: lines, markers and texts in the classes of bench.css, which has their colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmark {

/// The width of a text in a picture, at most: the reader's font is unknown.
double text_width(std::string_view text);
constexpr double kTextHeight = 12;  // the size of its font

enum class Anchor : uint8_t { start, middle, end };

/// "12.3 45.6".
std::string svg_place(double x, double y);

class Svg {
 public:
  /// `about` is read out to those who do not see it; plain text, as are all other texts.
  Svg(double width, double height, const std::string& about, const char* kind = "plot");

  /// A title, and what is seen, for those who do not see it.
  void describe(const std::string& title, const std::string& description);
  /// A path of these classes; its title is shown when the mouse is over it.
  void path(std::string_view kind, const std::string& steps, const std::string& title = "");
  void text(double x, double y, Anchor anchor, const std::string& text, const char* kind = "");
  /// The same of a number, whose exponent is raised: "2^20".
  void number(double x, double y, Anchor anchor, const std::string& text);
  /// A marker of the shape that goes with the colour.
  void marker(size_t colour, bool hollow, double x, double y, const std::string& title = "");
  /// All until end_colour() has that colour of eight.
  void begin_colour(size_t colour);
  void end_colour();

  std::string take();

 private:
  void begin_text(double x, double y, Anchor anchor, const char* kind);

  std::string text_;
};

/// The line and marker of a key: "" for no line, else its classes.
std::string key_sample(size_t colour, bool hollow, std::string_view line);

}  // namespace warpmark
