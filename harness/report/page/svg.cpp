#include "report/page/svg.hpp"

#include <fmt/format.h>

#include <array>

#include "report/page/html.hpp"

namespace warpmark {

namespace {

constexpr size_t kPlotColours = 8;
// Steps from the middle of each shape: circle, square, diamond, triangles, plus, cross, bow tie.
constexpr std::array<const char*, kPlotColours> kMarkerSteps = {
    "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z",
    "m-3-3h6v6h-6z",
    "m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z",
    "m-3.8-3h7.6l-3.8 6.6z",
    "m-3.8 3h7.6l-3.8-6.6z",
    "m-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
    "m-2.4-4l2.4 2.4l2.4-2.4l1.6 1.6l-2.4 2.4l2.4 2.4l-1.6 1.6l-2.4-2.4l-2.4 2.4l-1.6-1.6l2.4-2.4"
    "l-2.4-2.4z",
    "m-3.6-3.6h7.2l-7.2 7.2h7.2z"};

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // within a character
    // Characters of three bytes are mostly those of East Asia, as wide as they are high.
    width += byte >= 0xE3 ? kTextHeight : 0.57 * kTextHeight;
  }
  return width;
}

std::string svg_place(double x, double y) {
  return fmt::format("{:.1f} {:.1f}", x, y);
}

Svg::Svg(double width, double height, const std::string& about, const char* kind)
    : text_(fmt::format("<svg class=\"{}\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\">",
                        kind, html_text(about), width, height)) {}

void Svg::describe(const std::string& title, const std::string& description) {
  text_ += "<title>" + html_text(title) + "</title><desc>" + html_text(description) + "</desc>";
}

void Svg::path(std::string_view kind, const std::string& steps, const std::string& title) {
  text_ += fmt::format("<path class=\"{}\" d=\"{}\"", kind, steps);
  text_ += title.empty() ? "/>" : "><title>" + html_text(title) + "</title></path>";
}

void Svg::begin_text(double x, double y, Anchor anchor, const char* kind) {
  const char* where = anchor == Anchor::middle ? " text-anchor=\"middle\""
                      : anchor == Anchor::end  ? " text-anchor=\"end\""
                                               : "";
  const std::string classes = *kind == '\0' ? "" : fmt::format(" class=\"{}\"", kind);
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>", x, y, where, classes);
}

void Svg::text(double x, double y, Anchor anchor, const std::string& text, const char* kind) {
  begin_text(x, y, anchor, kind);
  text_ += html_text(text) + "</text>";
}

void Svg::number(double x, double y, Anchor anchor, const std::string& text) {
  const size_t raised = text.find('^');
  begin_text(x, y, anchor, "");
  text_ += html_text(text.substr(0, raised));
  if (raised != std::string::npos) {
    text_ += "<tspan class=\"raised\" dy=\"-4\">" + html_text(text.substr(raised + 1)) + "</tspan>";
  }
  text_ += "</text>";
}

void Svg::marker(size_t colour, bool hollow, double x, double y, const std::string& title) {
  path(hollow ? "mark hollow" : "mark", "M" + svg_place(x, y) + kMarkerSteps[colour % kPlotColours],
       title);
}

void Svg::begin_colour(size_t colour) {
  text_ += fmt::format("<g class=\"c{}\">", colour % kPlotColours);
}

void Svg::end_colour() {
  text_ += "</g>";
}

std::string Svg::take() {
  return std::move(text_) + "</svg>";
}

std::string key_sample(size_t colour, bool hollow, std::string_view line) {
  constexpr double kSampleWidth = 32, kSampleHeight = 12;
  Svg svg(kSampleWidth, kSampleHeight, "", "key");
  svg.begin_colour(colour);
  if (!line.empty()) svg.path(line, fmt::format("M1 {}H{}", kSampleHeight / 2, kSampleWidth - 1));
  svg.marker(colour, hollow, kSampleWidth / 2, kSampleHeight / 2);
  svg.end_colour();
  return svg.take();
}

}  // namespace warpmark
