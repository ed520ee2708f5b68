#include "debug/thread_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace warpmark::debugging {

namespace {

constexpr uint32_t kMostFrames = 1000;

}  // namespace

warpmark_debug_lane ThreadView::where() const {
  warpmark_debug_lane lane{};
  view_->lane(point_, focus_.warp, focus_.lane, &lane);
  return lane;
}

std::vector<warpmark_debug_frame> ThreadView::all_frames() const {
  std::vector<warpmark_debug_frame> frames(kMostFrames);
  const uint32_t count =
      view_->frames(point_, focus_.warp, focus_.lane, frames.data(), kMostFrames);
  frames.resize(std::min(count, kMostFrames));
  return frames;
}

std::vector<uint32_t> ThreadView::frames() const {
  std::vector<uint32_t> statements;
  for (const warpmark_debug_frame& frame : all_frames()) statements.push_back(frame.statement);
  return statements;
}

uint64_t ThreadView::frame_base() const {
  const std::vector<warpmark_debug_frame> all = all_frames();
  return focus_.frame < all.size() ? all[focus_.frame].base : 0;
}

std::optional<uint32_t> ThreadView::statement() const {
  if (focus_.frame == 0) {
    const warpmark_debug_lane lane = where();
    if (lane.state == 0) return std::nullopt;
    return lane.statement;
  }
  const std::vector<uint32_t> all = frames();
  if (focus_.frame >= all.size()) return std::nullopt;
  return all[focus_.frame];
}

std::optional<std::vector<std::byte>> ThreadView::read(uint32_t space, uint64_t address,
                                                       uint64_t bytes) const {
  if (bytes > kMostBytes) return std::nullopt;
  std::vector<std::byte> into(bytes);
  if (view_->read(point_, focus_.warp, focus_.lane, focus_.frame, space, address, into.data(),
                  bytes) == 0) {
    return std::nullopt;
  }
  return into;
}

std::optional<std::vector<std::byte>> ThreadView::read_register(const std::string& name) const {
  uint64_t value[2] = {};
  const uint32_t bits =
      view_->read_register(point_, focus_.warp, focus_.lane, focus_.frame, name.c_str(), value);
  if (bits == 0) return std::nullopt;
  std::vector<std::byte> bytes((bits + 7) / 8);
  std::memcpy(bytes.data(), value, std::min(bytes.size(), sizeof value));
  return bytes;
}

std::vector<std::string> ThreadView::registers() const {
  std::vector<std::string> names;
  view_->list_registers(
      point_, focus_.warp, focus_.lane, focus_.frame,
      [](void* user, const char* text, size_t length) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(text, length);
      },
      &names);
  return names;
}

std::vector<Variable> ThreadView::variables() const {
  const std::optional<uint32_t> at = statement();
  return at ? (*variables_)(*at) : std::vector<Variable>();
}

std::string ThreadView::pointer_text(uint64_t address, uint64_t element_bytes) const {
  std::string line;
  view_->pointer(
      point_, address,
      [](void* user, const char* text, size_t length) {
        static_cast<std::string*>(user)->assign(text, length);
      },
      &line);
  const nlohmann::json all = nlohmann::json::parse(line, nullptr, false);
  if (!all.is_object() || all.value("name", "").empty()) return "";
  const uint64_t offset = all.value("offset", uint64_t{0});
  const std::string name = all.value("name", "");
  if (offset == 0) return name;
  if (element_bytes != 0 && offset % element_bytes == 0) {
    return fmt::format("{} + {}", name, offset / element_bytes);
  }
  return fmt::format("{} + {} bytes", name, offset);
}

}  // namespace warpmark::debugging
