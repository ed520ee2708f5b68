#include "compiler/suite_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

// "-arch=sm_90", "--gpu-architecture sm_90" and "-gencode" have the names "arch",
// "gpu-architecture" and "gencode".
std::string_view name_of(std::string_view option) {
  const size_t dashes = std::min(option.find_first_not_of('-'), option.size());
  if (dashes == 0 || dashes > 2) return {};
  option.remove_prefix(dashes);
  return option.substr(0, option.find_first_of("= "));
}

std::optional<std::string> value_of(std::string_view option) {
  const size_t mark = option.find_first_of("= ");
  if (mark == std::string_view::npos) return std::nullopt;
  return std::string(trim(option.substr(mark + 1)));
}

void refuse_architecture(const std::string& option) {
  constexpr std::array<std::string_view, 6> kNames = {
      "gpu-architecture", "arch", "gpu-code", "code", "generate-code", "gencode"};
  if (std::ranges::find(kNames, name_of(option)) == kNames.end()) return;
  throw usage_error(fmt::format("a suite cannot set the option `{}`", option), {},
                    "kernels are compiled for the device they run on, or for `arch` of `kernel`, "
                    "as in {file: x.cu, arch: sm_90a}");
}

// "-Xcompiler" hands the next word on to another program.
bool hands_on(const std::string& option) {
  return option.starts_with("-X") && option.find('=') == std::string::npos;
}

}  // namespace

SuiteOptions suite_options(const std::vector<std::string>& options) {
  SuiteOptions split;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const bool has_next = i + 1 < options.size();
    if (hands_on(option) && has_next) {
      split.further.insert(split.further.end(), {option, options[++i]});
      continue;
    }
    refuse_architecture(option);
    std::optional<std::string> standard;
    if (name_of(option) == "std") {
      standard = value_of(option);
      if (!standard && has_next) standard = options[++i];
    }
    if (standard) {
      split.standard = std::move(*standard);
    } else {
      split.further.push_back(option);
    }
  }
  return split;
}

bool has_option(const std::vector<std::string>& options,
                std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(options, [&](const std::string& option) {
    return std::ranges::find(names, name_of(option)) != names.end();
  });
}

}  // namespace warpmark
