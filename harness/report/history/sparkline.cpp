#include "report/history/sparkline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/history/history_rows.hpp"
#include "report/page/html.hpp"

namespace warpmark {

namespace {

constexpr double kWidth = 360, kHeight = 124;
constexpr double kLeft = 6, kRight = 354, kTop = 20, kBottom = 104;
constexpr double kLeastSpan = 0.05;  // of the scale, as a share of its middle
constexpr size_t kManyRuns = 30;     // from which on dots are small

class Sparkline {
 public:
  Sparkline(const BenchHistory& history, const HistoryPoint& point)
      : history_(history), point_(point) {
    bool any = false;
    for (const std::optional<HistoryValue>& value : point.values) {
      if (!value) continue;
      low_ = any ? std::min(low_, value->low) : value->low;
      high_ = any ? std::max(high_, value->high) : value->high;
      any = true;
    }
    const double middle = (low_ + high_) / 2;
    const double span = std::max(high_ - low_, middle > 0 ? kLeastSpan * middle : 1.0);
    top_ = middle + span / 2;
    bottom_ = std::max(0.0, middle - span / 2);
    if (top_ == bottom_) top_ = bottom_ + 1;
  }

  std::string svg() {
    svg_ = fmt::format("<svg class=\"spark\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\">",
                       html_text(what()), kWidth, kHeight);
    for (const double y : {kTop, kBottom}) {
      svg_ += fmt::format("<path class=\"edge\" d=\"M{} {}H{}\"/>", kLeft, y, kRight);
    }
    svg_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", kLeft, kTop - 6, scale_text(top_));
    svg_ +=
        fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", kLeft, kBottom + 14, scale_text(bottom_));
    for (const HistoryChange& change : point_.changes) mark(change);
    for (size_t i = 0; i < point_.values.size();) {
      if (!point_.values[i]) {
        ++i;
        continue;
      }
      size_t end = i;
      while (end < point_.values.size() && point_.values[end]) ++end;
      stretch(i, end);
      i = end;
    }
    for (size_t i = 0; i < point_.values.size(); ++i) run(i);
    return svg_ + "</svg>";
  }

 private:
  double x(double run) const {
    const auto last = static_cast<double>(point_.values.size() - 1);
    const double room = 6;
    return last > 0 ? kLeft + room + run / last * (kRight - kLeft - 2 * room)
                    : (kLeft + kRight) / 2;
  }
  double y(double value) const {
    return kBottom - (value - bottom_) / (top_ - bottom_) * (kBottom - kTop);
  }
  std::string place(size_t run, double value) const {
    return fmt::format("{:.1f} {:.1f}", x(static_cast<double>(run)), y(value));
  }

  std::string what() const {
    std::string text = point_.id + " " + what_text(point_);
    for (const std::string& line : change_lines(history_, point_)) text += ", " + line;
    return text;
  }

  // The ends of a scale are no measurements: of counts they need not be whole.
  std::string scale_text(double value) const { return html_text(value_text(point_, value)); }

  // Runs one after another that have values.
  void stretch(size_t begin, size_t end) {
    std::string line, band;
    for (size_t i = begin; i < end; ++i) {
      line += (i == begin ? "M" : "L") + place(i, point_.values[i]->value);
      band += (i == begin ? "M" : "L") + place(i, point_.values[i]->high);
    }
    for (size_t i = end; i-- > begin;) band += "L" + place(i, point_.values[i]->low);
    if (end - begin < 2) return;
    if (point_.counter.empty()) svg_ += "<path class=\"band\" d=\"" + band + "Z\"/>";
    svg_ += "<path class=\"line\" d=\"" + line + "\"/>";
  }

  void run(size_t i) {
    const std::optional<HistoryValue>& value = point_.values[i];
    const std::string& label = history_.runs[i].label;
    if (!value) {
      if (!point_.verdicts[i].empty()) cross(i, label + ": " + point_.verdicts[i]);
      return;
    }
    std::string figures = label + ": " + value_text(point_, value->value);
    const std::string half = half_width_text(*value);
    if (!half.empty()) figures += " " + half;
    if (value->high > value->low) {
      svg_ += fmt::format("<path class=\"whisker\" d=\"M{}V{:.1f}\"/>", place(i, value->low),
                          y(value->high));
    }
    svg_ += fmt::format(
        "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>",
        x(static_cast<double>(i)), y(value->value), point_.values.size() < kManyRuns ? 3 : 2,
        html_text(figures));
  }

  void cross(size_t i, const std::string& title) {
    const double at = x(static_cast<double>(i)), size = 4, height = kBottom - size;
    svg_ += fmt::format(
        "<path class=\"worse\" d=\"M{:.1f} {}l{} {}m0 -{}l-{} {}\"><title>{}</title></path>",
        at - size, height - size, 2 * size, 2 * size, 2 * size, 2 * size, 2 * size,
        html_text(title));
  }

  // Between the last value before it and the first one after it.
  void mark(const HistoryChange& change) {
    size_t before = change.run - 1;
    while (before > 0 && !point_.values[before]) --before;
    const double at = (x(static_cast<double>(before)) + x(static_cast<double>(change.run))) / 2;
    svg_ += fmt::format("<path class=\"{}{}\" d=\"M{:.1f} {}V{}\"/>",
                        is_worse(change.ratio) ? "worse" : "better",
                        change.reason.empty() ? "" : " explained", at, kTop, kBottom);
  }

  const BenchHistory& history_;
  const HistoryPoint& point_;
  double low_ = 0, high_ = 0;    // of all values and intervals
  double bottom_ = 0, top_ = 0;  // of the scale
  std::string svg_;
};

}  // namespace

std::string sparkline(const BenchHistory& history, const HistoryPoint& point) {
  return Sparkline(history, point).svg();
}

}  // namespace warpmark
