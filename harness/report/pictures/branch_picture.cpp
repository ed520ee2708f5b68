// Draws the lanes of a warp at branches: which of them go on where, and at which lines they part again.
#include <fmt/format.h>

#include <bit>
#include <optional>

#include "base/text.hpp"
#include "report/pictures/pictures.hpp"

namespace warpmark {

namespace {

constexpr double kDotPitch = 9.6, kDotCell = 8.4, kFirstDot = 70, kStrip = 9;
constexpr double kHeading = 15, kRowStep = 25, kIndent = 11;
constexpr size_t kMostBranchRows = 18, kMostDepth = 5;

// One branch at which lanes parted.
struct Parting {
  std::string file, text, texts[2];
  int64_t line = 0;
  uint32_t lanes = 0, sides[2] = {};
  int64_t to[2] = {};            ///< lines; 0: unknown
  std::optional<size_t> parent;  ///< of whose lanes these are some
  size_t side = 0;               ///< of the parent
};

std::optional<Parting> read_parting(const ReportJson& json) {
  Parting one;
  one.file = text_member(json, "file");
  one.text = trim(text_member(json, "text"));
  one.line = count_member(json, "line").value_or(0);
  one.lanes = lanes_member(json, "lanes");
  one.sides[0] = lanes_member(json, "taken") & one.lanes;
  one.sides[1] = one.lanes & ~one.sides[0];
  one.to[0] = count_member(json, "to").value_or(0);
  one.to[1] = count_member(json, "other").value_or(0);
  one.texts[0] = trim(text_member(json, "to_text"));
  one.texts[1] = trim(text_member(json, "other_text"));
  if (one.line == 0 || one.sides[0] == 0 || one.sides[1] == 0) return std::nullopt;
  // The side that the source has first comes first.
  if (one.to[1] != 0 && (one.to[0] == 0 || one.to[1] < one.to[0])) {
    std::swap(one.sides[0], one.sides[1]);
    std::swap(one.to[0], one.to[1]);
    std::swap(one.texts[0], one.texts[1]);
  }
  return one;
}

// Lanes that part again are all of one side of an earlier branch, the last such one.
std::vector<Parting> read_partings(const ReportJson& way) {
  std::vector<Parting> all;
  const auto list = way.find("partings");
  if (list == way.end() || !list->is_array()) {
    if (auto one = read_parting(way)) all.push_back(std::move(*one));
    return all;
  }
  for (const ReportJson& json : *list) {
    auto one = read_parting(json);
    if (!one) continue;
    for (size_t i = all.size(); i-- > 0 && !one->parent;) {
      for (size_t side = 0; side < 2; ++side) {
        if ((one->lanes & ~all[i].sides[side]) != 0) continue;
        one->parent = i;
        one->side = side;
        break;
      }
    }
    all.push_back(std::move(*one));
  }
  return all;
}

std::string lanes_words(uint32_t lanes) {
  return counted(static_cast<uint64_t>(std::popcount(lanes)), "lane");
}

class BranchDrawing {
 public:
  explicit BranchDrawing(const std::vector<Parting>& partings) : partings_(partings) {}

  // The rows are known before the picture, which needs its height.
  double lay_out() {
    for (size_t i = 0; i < partings_.size(); ++i) {
      if (!partings_[i].parent) add(i, 0);
    }
    return y_ + (left_out_ > 0 ? 18 : 4);
  }

  std::string draw(const std::string& about) {
    const double height = lay_out();
    Svg svg(kPictureWidth, height, "lanes of a warp at branches", "picture");
    svg.describe("The lanes of a warp at branches", about);
    for (const Row& row : rows_) {
      if (!row.heading.empty()) {
        svg.text(6 + kIndent * row.depth, row.y + 11, Anchor::start, row.heading, "code strong");
        continue;
      }
      svg.text(kFirstDot, row.y + 10, Anchor::start, row.label, "small");
      std::string on, off;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const double x = kFirstDot + kDotPitch * lane;
        if ((row.lanes >> lane & 1U) != 0)
          on += box_steps(x, row.y + 13, kDotCell, kStrip);
        else
          off += fmt::format("M{:.4g} {:.4g}h2", x + kDotCell / 2 - 1, row.y + 13 + kStrip / 2);
      }
      if (!on.empty()) svg.path("full", on);
      if (!off.empty()) svg.path("wire", off);
      if (row.from >= 0) {
        const double x = 10 + kIndent * row.depth;
        svg.path("wire", fmt::format("M{:.4g} {:.4g}V{:.4g}H{}", x, row.from,
                                     row.y + 13 + kStrip / 2, kFirstDot - 5));
        svg.path("arrow", fmt::format("M{} {:.4g}v6l6-3z", kFirstDot - 9, row.y + 10 + kStrip / 2));
      }
    }
    if (left_out_ > 0) {
      svg.text(kFirstDot, y_ + 12, Anchor::start,
               "… and " + counted(left_out_, "more branch", "more branches"), "small");
    }
    return svg.take();
  }

 private:
  struct Row {
    double y = 0;
    std::string heading = {}, label = {};
    uint32_t lanes = 0;
    double depth = 0;
    double from = -1;  ///< where the line to its branch begins
  };

  static std::string counted(size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  }

  void add(size_t at, size_t depth) {
    const Parting& one = partings_[at];
    if (rows_.size() >= kMostBranchRows) {
      ++left_out_;
      return add_children(at, 0, depth), add_children(at, 1, depth);
    }
    const double shown = static_cast<double>(std::min(depth, kMostDepth));
    const double heading = y_;
    const std::string line = fmt::format("line {}{}", one.line, is_loop(one) ? ", again" : "");
    const auto fits = static_cast<size_t>((kPictureWidth - 12 - kIndent * shown) / kCodeWidth);
    rows_.push_back(
        {y_, shortened(one.text.empty() ? line : line + ": " + one.text, fits), {}, 0, shown});
    y_ += kHeading;
    if (!one.parent) {
      rows_.push_back({y_, "", lanes_words(one.lanes) + " come to it", one.lanes});
      y_ += kRowStep;
    }
    // The lanes that stay in a loop come last, since its next round goes on with them.
    const size_t first = continues(at, 0) ? 1 : 0;
    for (const size_t side : {first, 1 - first}) {
      std::string label = lanes_words(one.sides[side]);
      label += std::popcount(one.sides[side]) == 1 ? " goes on" : " go on";
      if (one.to[side] > 0) label += fmt::format(" at line {}", one.to[side]);
      if (!one.texts[side].empty()) label += ": " + one.texts[side];
      const auto room = static_cast<size_t>((kPictureWidth - kFirstDot) / 6.0);
      rows_.push_back({y_, "", shortened(label, room), one.sides[side], shown, heading + 14});
      y_ += kRowStep;
      add_children(at, side, depth);
    }
  }

  // True if a branch is the same one as its parent's, in a later round.
  bool is_loop(const Parting& one) const {
    return one.parent && partings_[*one.parent].line == one.line &&
           partings_[*one.parent].file == one.file;
  }

  bool continues(size_t at, size_t side) const {
    for (size_t i = at + 1; i < partings_.size(); ++i) {
      const Parting& one = partings_[i];
      if (one.parent == at && one.side == side && is_loop(one)) return true;
    }
    return false;
  }

  void add_children(size_t at, size_t side, size_t depth) {
    for (size_t i = at + 1; i < partings_.size(); ++i) {
      const Parting& one = partings_[i];
      if (one.parent == at && one.side == side) add(i, is_loop(one) ? depth : depth + 1);
    }
  }

  const std::vector<Parting>& partings_;
  std::vector<Row> rows_;
  double y_ = 4;
  size_t left_out_ = 0;
};

}  // namespace

std::optional<Picture> branch_picture(const ReportJson& way) {
  if (!way.is_object()) return std::nullopt;
  const std::vector<Parting> partings = read_partings(way);
  if (partings.empty()) return std::nullopt;
  const std::string where = fmt::format("block {}, warp {}", triple_member(way, "block"),
                                        count_member(way, "warp").value_or(0));
  std::string about = where + ".";
  for (size_t i = 0; i < std::min<size_t>(partings.size(), 8); ++i) {
    const Parting& one = partings[i];
    about += fmt::format(" At line {} {} part into {} and {}.", one.line, lanes_words(one.lanes),
                         std::popcount(one.sides[0]), std::popcount(one.sides[1]));
  }
  Picture picture;
  picture.caption = "Lanes that part: " + where;
  picture.svg = BranchDrawing(partings).draw(about);
  picture.remark =
      "Filled: lanes of the warp that take this side; dots wait meanwhile. The sides run one after "
      "the other.";
  const auto count = count_member(way, "count");
  if (count && *count > static_cast<int64_t>(partings.size()))
    picture.remark += fmt::format(" The first {} of {} times.", partings.size(), *count);
  return picture;
}

}  // namespace warpmark
