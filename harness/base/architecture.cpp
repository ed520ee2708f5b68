#include "base/architecture.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace warpmark {

namespace {

constexpr int kFirstFamily = 100;

}  // namespace

Architecture Architecture::with_own_features(int capability) {
  return {capability, has_own_features(capability) ? 'a' : '\0'};
}

std::string Architecture::name() const {
  std::string text = fmt::format("sm_{}", number);
  if (suffix != 0) text += suffix;
  return text;
}

bool Architecture::ptx_runs_on(int capability) const {
  if (suffix == 'a') return capability == number;
  if (suffix == 'f') return cubin_runs_on(capability);
  return capability >= number;
}

bool Architecture::cubin_runs_on(int capability) const {
  if (suffix == 'a') return capability == number;
  return capability / 10 == number / 10 && capability >= number;
}

Architecture parse_architecture(std::string_view name, const Position& where) {
  const auto fail = [&](const std::string& why, const std::string& hint) {
    return usage_error(fmt::format("`{}` is no architecture{}", printable(name), why), where, hint);
  };
  Architecture found;
  const char* end = name.data() + name.size();
  if (name.starts_with("sm_")) {
    const auto [behind, code] = std::from_chars(name.data() + 3, end, found.number);
    const bool ends = behind + 1 == end && (*behind == 'a' || *behind == 'f');
    if (ends) found.suffix = *behind;
    const bool canonical = name.substr(3, 1) != "0" && found.number >= 10 && found.number < 1000;
    if (code != std::errc() || (behind != end && !ends) || !canonical) found.number = 0;
  }
  if (found.number == 0 && name.starts_with("compute_")) {
    throw fail(": it is a virtual one",
               fmt::format("write `sm_{}`, which gives PTX as well", printable(name.substr(8))));
  }
  if (found.number == 0) {
    throw fail("", "write it as `sm_90`, or as `sm_90a` for what only that one has");
  }
  if (found.suffix == 'a' && !Architecture::has_own_features(found.number)) {
    throw fail(": those with an `a` begin at sm_90a", fmt::format("write `sm_{}`", found.number));
  }
  if (found.suffix == 'f' && found.number < kFirstFamily) {
    throw fail(": families begin at sm_100f", fmt::format("write `sm_{}`", found.number));
  }
  return found;
}

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

}  // namespace warpmark
