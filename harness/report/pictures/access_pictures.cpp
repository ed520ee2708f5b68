// Draws requests of warps: lanes against banks of shared memory, and against sectors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "base/text.hpp"
#include "report/pictures/pictures.hpp"

namespace warpmark {

namespace {

constexpr uint32_t kWarpLanes = 32;
constexpr int64_t kBanks = 32, kWord = 4, kSector = 32, kCacheLine = 128;

// --- lanes and banks

constexpr double kLanePitch = 11.2, kLaneCell = 9.8, kFirstLane = 13;
double cell_x(int64_t number) {
  return kFirstLane + kLanePitch * static_cast<double>(number);
}

std::string passes_text(size_t passes) {
  return fmt::format("{} {}", passes, passes == 1 ? "pass" : "passes");
}

// A row of 32 numbered cells, those of `full` filled.
void number_row(Svg& svg, double y, uint32_t full) {
  std::string on, off;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    (full >> i & 1U ? on : off) += box_steps(cell_x(i), y, kLaneCell, 12);
  if (!on.empty()) svg.path("full", on);
  if (!off.empty()) svg.path("empty", off);
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    svg.text(cell_x(i) + kLaneCell / 2, y + 9, Anchor::middle, std::to_string(i),
             full >> i & 1U ? "tiny on" : "tiny");
  }
}

// The words that a request wants of each bank; of an atomic operation those of each lane, as lanes
// with one word go one after the other.
struct BankWants {
  std::array<std::set<std::pair<int64_t, uint32_t>>, kBanks> words;
  uint32_t lanes = 0, banks = 0;
  std::vector<std::pair<uint32_t, int64_t>> wires;  ///< lane and bank

  explicit BankWants(const SampledAccess& access) {
    const bool each = access.is_of("atomic");
    for (const SampledAccess::Lane& one : access.lanes) {
      lanes |= 1U << one.lane;
      const int64_t last = (one.place + access.bytes - 1) / kWord;
      for (int64_t word = one.place / kWord; word <= last; ++word) {
        const int64_t bank = word % kBanks;
        words[static_cast<size_t>(bank)].insert({word, each ? one.lane : 0});
        banks |= 1U << bank;
        wires.emplace_back(one.lane, bank);
      }
    }
  }
  size_t most() const {
    size_t most = 0;
    for (const auto& one : words) most = std::max(most, one.size());
    return most;
  }
};

// The height of one word.
double stack_step(const BankWants& wants) {
  return std::clamp(120.0 / static_cast<double>(std::max<size_t>(wants.most(), 1)), 3.5, 9.0);
}

// Under each bank its words, one below the other: only the first comes with the first pass.
void draw_stacks(Svg& svg, const SampledAccess& access, const BankWants& wants, double top) {
  const size_t most = wants.most();
  const double height = stack_step(wants);
  std::string first, further, hatches;
  size_t highest = 0;
  for (size_t bank = 0; bank < wants.words.size(); ++bank) {
    if (wants.words[bank].size() > wants.words[highest].size()) highest = bank;
    for (size_t i = 0; i < wants.words[bank].size(); ++i) {
      const double x = cell_x(static_cast<int64_t>(bank));
      const double y = top + height * static_cast<double>(i);
      (i == 0 ? first : further) += box_steps(x, y, kLaneCell, height - 1);
      if (i > 0)
        hatches +=
            fmt::format("M{:.4g} {:.4g}l-{:.3g} {:.3g}", x + kLaneCell, y, kLaneCell, height - 1);
    }
  }
  if (!first.empty()) svg.path("full", first);
  if (!further.empty()) svg.path("extra", further);
  if (!hatches.empty()) svg.path("hatch", hatches);
  const double bottom = top + height * static_cast<double>(most);
  const double x = cell_x(static_cast<int64_t>(highest));
  const Anchor anchor = x < 120                   ? Anchor::start
                        : x > kPictureWidth - 120 ? Anchor::end
                                                  : Anchor::middle;
  const double at = anchor == Anchor::start ? x
                    : anchor == Anchor::end ? x + kLaneCell
                                            : x + kLaneCell / 2;
  svg.text(at, bottom + 13, anchor,
           (access.is_of("atomic") ? counted(most, "lane") + " at this bank"
                                   : counted(most, "word") + " of this bank: " + passes_text(most)),
           "strong");
}

std::string turns_text(const SampledAccess& access) {
  const int64_t turns = access.measure("turns");
  return turns > 1 ? fmt::format(" Lanes at one address go one after the other: {} turns.", turns)
                   : "";
}

// --- lanes and sectors

constexpr double kBytesLeft = 56, kByte = 2.5, kBoxHeight = 15, kRowPitch = 20;
constexpr size_t kMostRows = 10;
constexpr double kBoxWidth = kByte * static_cast<double>(kSector);

struct CacheLine {
  std::array<uint32_t, 4> touched = {};               ///< bytes of each sector that lanes ask for
  std::vector<std::pair<int64_t, int64_t>> ranges;    ///< first byte, number of bytes
  std::vector<std::pair<int64_t, uint32_t>> numbers;  ///< first byte, lane
};

// A line of local memory has one word of each lane.
std::map<int64_t, CacheLine> local_lines_of(const SampledAccess& access) {
  std::map<int64_t, CacheLine> lines;
  for (const SampledAccess::Lane& one : access.lanes) {
    const int64_t end = one.place + access.bytes;
    for (int64_t at = one.place; at < end;) {
      const int64_t next = std::min(end, (at / kWord + 1) * kWord);
      const int64_t first = kWord * one.lane + at % kWord;
      CacheLine& line = lines[at / kWord];
      line.ranges.emplace_back(first, next - at);
      line.numbers.emplace_back(first, one.lane);
      line.touched[static_cast<size_t>(first / kSector)] += static_cast<uint32_t>(next - at);
      at = next;
    }
  }
  return lines;
}

std::map<int64_t, CacheLine> cache_lines_of(const SampledAccess& access) {
  if (access.is_of("local")) return local_lines_of(access);
  std::map<int64_t, CacheLine> lines;
  std::set<int64_t> known;
  for (const SampledAccess::Lane& one : access.lanes) {
    if (!known.insert(one.place).second) continue;  // several lanes ask for the same
    const int64_t end = one.place + access.bytes;
    lines[one.place / kCacheLine].numbers.emplace_back(one.place % kCacheLine, one.lane);
    for (int64_t at = one.place; at < end;) {
      const int64_t next = std::min(end, (at / kSector + 1) * kSector);
      CacheLine& line = lines[at / kCacheLine];
      line.ranges.emplace_back(at % kCacheLine, next - at);
      line.touched[static_cast<size_t>(at % kCacheLine / kSector)] +=
          static_cast<uint32_t>(next - at);
      at = next;
    }
  }
  return lines;
}

void draw_cache_line(Svg& svg, double y, const std::string& name, const CacheLine& line,
                     int64_t bytes) {
  svg.text(kBytesLeft - 5, y + 11, Anchor::end, name, "small");
  std::string moved, idle, hatches, asked;
  for (size_t i = 0; i < line.touched.size(); ++i) {
    const double x = kBytesLeft + kBoxWidth * static_cast<double>(i);
    const bool is_moved = line.touched[i] > 0;
    (is_moved ? moved : idle) += box_steps(x + 1, y, kBoxWidth - 2, kBoxHeight);
    if (is_moved && line.touched[i] < kSector)
      hatches += hatch_steps(x + 1, y, kBoxWidth - 2, kBoxHeight);
  }
  for (const auto& [first, size] : line.ranges) {
    asked += box_steps(
        kBytesLeft + kByte * static_cast<double>(first) + (first % kSector == 0 ? 1 : 0.4), y,
        kByte * static_cast<double>(size) - (first % kSector == 0 ? 1.4 : 0.8), kBoxHeight);
  }
  if (!idle.empty()) svg.path("faint", idle);
  if (!moved.empty()) svg.path("extra", moved);
  if (!hatches.empty()) svg.path("hatch", hatches);
  if (!asked.empty()) svg.path("full", asked);
  if (bytes < kWord) return;
  for (const auto& [first, lane] : line.numbers) {
    const int64_t shown = std::min(bytes, kCacheLine - first);
    svg.text(kBytesLeft + kByte * (static_cast<double>(first) + static_cast<double>(shown) / 2),
             y + 10.5, Anchor::middle, std::to_string(lane), "tiny on");
  }
}

void draw_sector_key(Svg& svg, double y) {
  svg.path("full", box_steps(kBytesLeft, y, 14, 11));
  svg.text(kBytesLeft + 7, y + 8.5, Anchor::middle, "7", "tiny on");
  svg.text(kBytesLeft + 19, y + 10, Anchor::start, "asked for, by lane", "small");
  svg.path("extra", box_steps(kBytesLeft + 120, y, 14, 11));
  svg.path("hatch", hatch_steps(kBytesLeft + 120, y, 14, 11));
  svg.text(kBytesLeft + 138, y + 10, Anchor::start, "moved in vain", "small");
  svg.path("faint", box_steps(kBytesLeft + 222, y, 14, 11));
  svg.text(kBytesLeft + 240, y + 10, Anchor::start, "not moved", "small");
}

std::string access_words(const SampledAccess& access) {
  const std::string verb = access.is_of("load")    ? "load"
                           : access.is_of("store") ? "store"
                                                   : "atomic operation";
  return (access.is_of("async") ? "asynchronous " : "") + verb;
}

}  // namespace

std::optional<Picture> bank_picture(const SampledAccess& access) {
  const int64_t passes = access.measure("wavefronts"), ideal = access.measure("ideal_wavefronts");
  if (!access.is_of("shared") || passes <= 0) return std::nullopt;
  const BankWants wants(access);
  const double height = 108 + stack_step(wants) * static_cast<double>(wants.most());
  Svg svg(kPictureWidth, height, "lanes against banks of shared memory", "picture");
  const auto asking = std::popcount(wants.lanes);
  const std::string part =
      wants.lanes == access.asked ? "" : fmt::format(", of which {} go at a time", asking);
  svg.describe("Lanes of a warp against the banks of shared memory",
               fmt::format("{} lanes want words of {} banks; of one bank {} different words, which "
                           "come one after the other.",
                           asking, std::popcount(wants.banks), wants.most()));
  svg.text(kFirstLane, 12, Anchor::start, "lanes: " + access.where, "small");
  number_row(svg, 18, wants.lanes);
  std::string wires;
  for (const auto& [lane, bank] : wants.wires)
    wires += fmt::format("M{:.4g} 30L{:.4g} 72", cell_x(lane) + kLaneCell / 2,
                         cell_x(bank) + kLaneCell / 2);
  svg.path("wire", wires);
  number_row(svg, 72, wants.banks);
  svg.text(kPictureWidth - 4, 12, Anchor::end, "below: the 32 banks", "small");
  draw_stacks(svg, access, wants, 88);
  Picture picture;
  picture.caption =
      (access.is_of("atomic") ? "Lanes at one address: " : "Bank conflicts: ") + access.line_text();
  picture.svg = svg.take();
  picture.remark =
      fmt::format("{} of {} by {}{}: ", access_words(access),
                  counted(static_cast<uint64_t>(access.bytes), "byte"),
                  counted(static_cast<uint64_t>(std::popcount(access.asked)), "lane"), part);
  picture.remark[0] =
      static_cast<char>(std::toupper(static_cast<unsigned char>(picture.remark[0])));
  picture.remark +=
      access.is_of("atomic")
          ? fmt::format("{}. Lanes at one address go one after the other (hatched).",
                        passes_text(static_cast<size_t>(passes)))
          : fmt::format(
                "{}, where {} would do. A bank gives one word of 4 bytes in a pass; lanes "
                "that want the same word share it, others wait (hatched).",
                passes_text(static_cast<size_t>(passes)), ideal);
  return picture;
}

std::optional<Picture> sector_picture(const SampledAccess& access) {
  const int64_t sectors = access.measure("sectors"), ideal = access.measure("ideal_sectors");
  const bool local = access.is_of("local");
  if ((!local && !access.is_of("global")) || sectors <= 0) return std::nullopt;
  const std::map<int64_t, CacheLine> lines = cache_lines_of(access);
  const size_t rows = std::min(lines.size(), kMostRows);
  const bool more = lines.size() > rows;
  const double end = 34 + kRowPitch * static_cast<double>(rows) + (more ? 16 : 0);
  Svg svg(kPictureWidth, end + 20, "lanes against sectors of memory", "picture");
  svg.describe(
      "Lanes of a warp against sectors of memory",
      fmt::format("{} lanes ask for {} bytes each; they lie in {} sectors of 32 bytes, in "
                  "{} of 128 bytes.",
                  access.lanes.size(), access.bytes, sectors, counted(lines.size(), "line")));
  svg.text(8, 12, Anchor::start, access.where, "small");
  svg.text(kPictureWidth - 8, 12, Anchor::end, "each box: a sector of 32 bytes", "small");
  svg.text(kBytesLeft - 5, 27, Anchor::end, local ? "lane" : "byte", "small");
  for (int64_t i = 0; i < 4; ++i) {
    svg.text(kBytesLeft + kBoxWidth * static_cast<double>(i) + 2, 27, Anchor::start,
             std::to_string((local ? kSector / kWord : kSector) * i), "small");
  }
  double y = 34;
  auto line = lines.begin();
  for (size_t i = 0; i < rows; ++i, ++line, y += kRowPitch) {
    draw_cache_line(
        svg, y,
        local ? fmt::format("word {}", line->first) : fmt::format("+{}", line->first * kCacheLine),
        line->second, std::min(access.bytes, local ? kWord : kCacheLine));
  }
  if (more) {
    svg.text(kBytesLeft, y + 9, Anchor::start,
             fmt::format("… and {}", counted(lines.size() - rows, "more line") + " of 128 bytes"),
             "small");
  }
  draw_sector_key(svg, end + 4);
  Picture picture;
  picture.caption = fmt::format("Sectors of a {} {}: {}", local ? "local" : "global",
                                access_words(access), access.line_text());
  picture.svg = svg.take();
  const int64_t asked = access.measure("unique_bytes");
  picture.remark =
      fmt::format("{} ask for {} bytes{}; {} sectors move {}. {} would do if {}.{}",
                  counted(access.lanes.size(), "lane"), asked,
                  access.argument.empty() ? "" : " of " + shortened(access.argument, 40), sectors,
                  counted(static_cast<size_t>(sectors * kSector), "byte"), ideal,
                  local ? "all lanes used the same words, which lie side by side"
                        : "these bytes lay side by side",
                  turns_text(access));
  return picture;
}

}  // namespace warpmark
