#include "driver/allotment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr const char* kCount = "CTEST_RESOURCE_GROUP_COUNT";
constexpr const char* kTypes = "CTEST_RESOURCE_GROUP_0";
constexpr const char* kDevices = "CTEST_RESOURCE_GROUP_0_GPUS";
constexpr std::string_view kDigits = "0123456789";

struct Allotment {
  std::string kind;
  int index = 0;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = code == std::errc{} && end == text.data() + text.size();
  return is_number(text) && whole ? std::optional(value) : std::nullopt;
}

// An id is "1" or "KIND_1".
std::optional<Allotment> device_of(std::string_view id) {
  const size_t underscore = id.rfind('_');
  const bool named = underscore != std::string_view::npos && underscore > 0;
  const std::optional<int> index = small_number(named ? id.substr(underscore + 1) : id);
  if (!index) return {};
  return Allotment{named ? std::string(id.substr(0, underscore)) : "gpu", *index};
}

// "id:0,slots:2", the first of those between semicolons.
std::optional<Allotment> first_of(std::string_view text) {
  const std::vector<std::string> parts = split(split(text, ';').front(), ',');
  constexpr std::string_view id = "id:", slots = "slots:";
  if (parts.size() != 2 || !parts[0].starts_with(id) || !parts[1].starts_with(slots) ||
      !is_number(std::string_view(parts[1]).substr(slots.size()))) {
    return {};
  }
  return device_of(std::string_view(parts[0]).substr(id.size()));
}

Error unreadable(const char* name, const char* value, std::string_view wanted) {
  const std::string is = value == nullptr ? "is not set" : fmt::format("is `{}`", printable(value));
  return usage_error(fmt::format("{} {}, and must be {}", name, is, wanted), {},
                     "ctest sets it from the file of --resource-spec-file, which "
                     "`warpmark devices --resource-spec` prints");
}

std::optional<Allotment> allotment(const FindVariable& find) {
  const char* const count = find(kCount);
  if (count == nullptr) return {};  // then the others are not of this test, either
  if (!is_number(count)) throw unreadable(kCount, count, "a number");
  if (std::string_view(count).find_first_not_of('0') == std::string_view::npos) return {};
  const char* const types = find(kTypes);
  if (types == nullptr) throw unreadable(kTypes, types, "a list of types, as `gpus`");
  const std::vector<std::string> names = split(types, ',');
  if (std::ranges::find(names, "gpus") == names.end()) return {};
  const char* const devices = find(kDevices);
  auto first = first_of(devices == nullptr ? "" : devices);
  if (!first) throw unreadable(kDevices, devices, "as `id:0,slots:1` or `id:cpu_0,slots:1`");
  return first;
}

}  // namespace

std::optional<std::string> resource_id(std::string_view kind, int index) {
  if (kind == "gpu") return std::to_string(index);
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (kind.find_first_not_of(allowed) != std::string_view::npos) return {};
  return fmt::format("{}_{}", kind, index);
}

const char* own_variable(const char* name) {
  return std::getenv(name);
}

std::string allotted_request(std::string_view request, const FindVariable& find) {
  const std::optional<Allotment> given = allotment(find);
  if (!given || (request != "auto" && request != given->kind)) return std::string(request);
  return fmt::format("{}:{}", given->kind, given->index);
}

}  // namespace warpmark
