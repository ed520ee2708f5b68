#include "report/pictures/sampled_access.hpp"

#include <fmt/format.h>

#include "report/page/picture.hpp"

namespace warpmark {

namespace {

constexpr int64_t kMostBytes = 128, kFarthest = int64_t{1} << 52;
constexpr uint32_t kLanes = 32;

}  // namespace

std::string text_member(const ReportJson& json, const char* name) {
  if (!json.is_object()) return "";
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<int64_t> count_member(const ReportJson& json, const char* name) {
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<int64_t>();  // one that is too large is negative
  return value < 0 ? std::nullopt : std::optional(value);
}

uint32_t lanes_member(const ReportJson& json, const char* name) {
  const auto value = count_member(json, name);
  return value && *value <= UINT32_MAX ? static_cast<uint32_t>(*value) : 0;
}

std::string triple_member(const ReportJson& json, const char* name) {
  if (!json.is_object()) return "";
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array() || found->size() != 3) return "";
  std::string text;
  for (const ReportJson& one : *found) {
    if (!one.is_number_integer() || one.get<int64_t>() < 0) return "";
    text += (text.empty() ? "(" : ",") + std::to_string(one.get<int64_t>());
  }
  return text + ")";
}

std::string SampledAccess::line_text() const {
  constexpr size_t kLongestText = 60;
  std::string words = fmt::format("line {}", line);
  if (!file.empty()) words += " of " + file.substr(file.rfind('/') + 1);
  return text.empty() ? words : words + ": " + shortened(text, kLongestText);
}

std::optional<SampledAccess> read_sampled_access(const ReportJson& json) {
  SampledAccess access;
  access.kind = text_member(json, "kind");
  access.bytes = count_member(json, "bytes").value_or(0);
  const uint32_t lanes = lanes_member(json, "lanes");
  access.asked = lanes_member(json, "all_lanes");
  if (access.asked == 0) access.asked = lanes;
  if (access.bytes < 1 || access.bytes > kMostBytes || lanes == 0) return std::nullopt;
  const auto places = json.find("places");
  if (places == json.end() || !places->is_array()) return std::nullopt;
  size_t next = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    if (next == places->size() || !(*places)[next].is_number_integer()) return std::nullopt;
    const auto place = (*places)[next++].get<int64_t>();
    if (place < 0 || place > kFarthest) return std::nullopt;
    access.lanes.push_back({lane, place});
  }
  access.where = fmt::format("block {}, warp {}", triple_member(json, "block"),
                             count_member(json, "warp").value_or(0));
  access.argument = text_member(json, "argument");
  access.dtype = text_member(json, "dtype");
  access.offset = count_member(json, "offset");
  access.file = text_member(json, "file");
  access.line = count_member(json, "line").value_or(0);
  access.text = text_member(json, "text");
  access.measures = json;
  return access;
}

}  // namespace warpmark
