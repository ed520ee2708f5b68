// Draws a race: two threads side by side, time downwards, and what is missing between their accesses.
#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "report/pictures/pictures.hpp"

namespace warpmark {

namespace {

constexpr double kThreadColumn = 170, kAccessWidth = 112, kAccessHeight = 22;
constexpr double kRaceLeft = 16, kRaceRight = kPictureWidth - 8;

// One of the two accesses.
struct RaceSide {
  std::string thread, block, file, text;
  int64_t line = 0, warp = -1;
  bool writes = false;
  bool is_atomic = false, is_copy = false;
};

RaceSide side_of(const ReportJson& report, bool writes) {
  RaceSide side;
  side.thread = triple_member(report, "thread");
  side.block = triple_member(report, "block");
  side.file = text_member(report, "file");
  side.text = text_member(report, "text");
  side.line = count_member(report, "line").value_or(0);
  side.writes = writes;
  const std::string instruction = text_member(report, "instruction");
  side.is_atomic = instruction.starts_with("atom") || instruction.starts_with("red");
  side.is_copy = instruction.starts_with("cp.");
  return side;
}

std::string line_of_side(const RaceSide& side, const RaceSide& other) {
  if (side.line == 0) return "an unknown line";
  const std::string line = fmt::format("line {}", side.line);
  return side.file == other.file ? line
                                 : line + " of " + side.file.substr(side.file.rfind('/') + 1);
}

// The memory by its name: "tile", "x[7]", "shared memory".
std::string raced_memory(const ReportJson& report) {
  std::string name = text_member(report, "argument");
  if (const auto index = count_member(report, "index"); index && !name.empty())
    name += fmt::format("[{}]", *index);
  if (name.empty()) name = text_member(report, "variable");
  if (!name.empty()) return name;
  const std::string space = text_member(report, "space");
  return space.empty() ? "one place" : space + " memory";
}

struct Missing {
  std::string what;    ///< in the picture
  std::string advice;  ///< below it
};

Missing missing_of(const RaceSide& first, const RaceSide& second) {
  const std::string a = line_of_side(first, second), b = line_of_side(second, first);
  const bool one_line = first.line == second.line && first.file == second.file;
  if (first.is_copy || second.is_copy) {
    return {"a wait for the copy",
            "An asynchronous copy goes on beside its thread: wait for it, then for the other "
            "threads, before anyone uses what it reads or writes."};
  }
  if (first.block != second.block && !first.block.empty() && !second.block.empty()) {
    if (first.writes && second.writes && one_line) {
      return {"an atomic operation",
              "Blocks write one element, each in its own time: let each have its own, or use an "
              "atomic operation such as atomicAdd()."};
    }
    return {"a release and an acquire",
            "__syncthreads() holds only the threads of one block. Let a second launch use what the "
            "first has written, or publish it by __threadfence() and an atomic flag."};
  }
  if (one_line && first.writes && second.writes) {
    return {"an atomic operation",
            "Threads write one element in " + a +
                ": let one of them do it, let each have its own, or use atomicAdd() to add up."};
  }
  if (first.line > second.line && first.file == second.file) {
    return {"__syncthreads()",
            fmt::format("Put __syncthreads() behind {}, before the next round comes to {}.", a, b)};
  }
  if (one_line) {
    return {"__syncthreads()",
            "Read into a variable, then __syncthreads(), then write: " + a + " does both at once."};
  }
  return {"__syncthreads()", fmt::format("Put __syncthreads() between {} and {}, where all threads "
                                         "of the block come to it.",
                                         a, b)};
}

class RaceDrawing {
 public:
  RaceDrawing(const RaceSide& first, const RaceSide& second, const Missing& missing)
      : first_(first),
        second_(second),
        missing_(missing),
        svg_(kPictureWidth, kHeight, "a race on a time line", "picture") {}

  std::string draw(const std::string& description) {
    svg_.describe("A race on a time line, which runs downwards", description);
    const double left = kRaceLeft + kThreadColumn / 2, right = kRaceRight - kThreadColumn / 2;
    svg_.path("time", fmt::format("M{} 46V{}M{} 46V{}", left, kHeight - 6, right, kHeight - 6));
    head(kRaceLeft, first_);
    head(kRaceRight - kThreadColumn, second_);
    svg_.path("wire", fmt::format("M6 46V{}", kHeight - 10));
    svg_.path("arrow", fmt::format("M2 {}h8l-4 8z", kHeight - 12));
    access(left, kFirstY, first_, "1", Anchor::start);
    access(right, kSecondY, second_, "2", Anchor::end);
    svg_.path("missing", box_steps(kRaceLeft + 20, kMissingY, kRaceRight - kRaceLeft - 40, 26));
    svg_.text((kRaceLeft + kRaceRight) / 2, kMissingY + 17, Anchor::middle,
              "missing: " + missing_.what, "strong");
    return svg_.take();
  }

 private:
  static constexpr double kFirstY = 58, kMissingY = 116, kSecondY = 162, kHeight = 214;

  void head(double x, const RaceSide& side) {
    svg_.path("empty", box_steps(x, 2, kThreadColumn, 44));
    const auto line = [&](double y, const std::string& text, const char* kind) {
      svg_.text(x + kThreadColumn / 2, y, Anchor::middle, text, kind);
    };
    line(20, side.thread.empty() ? "a thread" : "thread " + side.thread, "strong");
    std::string block = side.block.empty() ? "" : "block " + side.block;
    if (side.warp >= 0) block += fmt::format(", warp {}", side.warp);
    line(37, block, "small");
  }

  // A write is a full box, a read an empty one.
  void access(double x, double y, const RaceSide& side, const char* number, Anchor anchor) {
    svg_.path(side.writes ? "write" : "read",
              box_steps(x - kAccessWidth / 2, y, kAccessWidth, kAccessHeight));
    const char* what = side.writes ? (side.is_atomic ? "updates" : "writes") : "reads";
    svg_.text(x, y + 15, Anchor::middle,
              side.line == 0 ? fmt::format("{}  {}", number, what)
                             : fmt::format("{}  line {} {}", number, side.line, what),
              side.writes ? "on" : "");
    constexpr auto kFits = static_cast<size_t>((kRaceRight - kRaceLeft) / kCodeWidth) - 2;
    if (side.text.empty()) return;
    svg_.text(anchor == Anchor::start ? kRaceLeft : kRaceRight, y + kAccessHeight + 14, anchor,
              shortened(std::string(trim(side.text)), kFits), "code halo");
  }

  const RaceSide& first_;
  const RaceSide& second_;
  const Missing& missing_;
  Svg svg_;
};

// The number of a thread's warp is known for blocks of one dimension alone.
void add_warps(RaceSide& first, RaceSide& second, const ReportJson& finding) {
  const auto number = [](const ReportJson& report) -> int64_t {
    const auto thread = report.find("thread");
    if (thread == report.end() || !thread->is_array() || thread->size() != 3) return -1;
    for (const ReportJson& one : *thread) {
      if (!one.is_number_integer() || one.get<int64_t>() < 0) return -1;
    }
    const bool flat = (*thread)[1] == 0 && (*thread)[2] == 0;
    return flat ? (*thread)[0].get<int64_t>() / 32 : -1;
  };
  const auto other = finding.find("other");
  const int64_t mine = number(finding), others = number(*other);
  if (mine < 0 || others < 0) return;
  second.warp = mine;
  first.warp = others;
}

}  // namespace

std::optional<Picture> race_picture(const ReportJson& finding) {
  if (text_member(finding, "kind") != "race") return std::nullopt;
  const std::string hazard = text_member(finding, "hazard");
  const size_t after = hazard.find(" after ");
  const auto other = finding.find("other");
  if (after == std::string::npos || other == finding.end() || !other->is_object())
    return std::nullopt;
  const std::string later = hazard.substr(0, after), earlier = hazard.substr(after + 7);
  if (later == "exit") return std::nullopt;  // no access
  RaceSide second = side_of(finding, later == "write"), first = side_of(*other, earlier == "write");
  add_warps(first, second, finding);
  // Both orders were met: that of the program's text is easier to follow.
  const bool swaps =
      finding.contains("both_orders") && first.file == second.file && second.line < first.line;
  if (swaps) std::swap(first, second);
  const Missing missing = missing_of(first, second);
  const std::string memory = raced_memory(finding);
  const auto says = [](const RaceSide& side, const RaceSide& beside) {
    return fmt::format("thread {} of block {} {} in {}", side.thread, side.block,
                       side.writes ? "writes" : "reads", line_of_side(side, beside));
  };
  const std::string description =
      fmt::format("First {}; then {}. Nothing puts the two in order; missing is {}.",
                  says(first, second), says(second, first), missing.what);
  Picture picture;
  picture.caption =
      "Race: " + (swaps ? earlier + " after " + later : hazard) + " of " + shortened(memory, 40);
  picture.svg = RaceDrawing(first, second, missing).draw(description);
  picture.remark = "Nothing makes 2 wait for 1: it may also come first. " + missing.advice;
  return picture;
}

}  // namespace warpmark
