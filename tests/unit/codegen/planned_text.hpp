// Plans of a suite that is a text, for tests of the plugins that write kernels.
#pragma once

#include <filesystem>
#include <string>

#include "plan/plugin_loader.hpp"

namespace warpmark {

/// That of its first case.
inline PlannedCase plan(const std::string& text) {
  PluginLoader loader({std::filesystem::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  const auto suite = parse_suite("warpmark: 1\n" + text, "/nowhere/suites/some/x.yaml");
  return make_plan(cases(suite)[0], loader);
}

/// "LINE MESSAGE", and the hint on a line of its own; "no error" if there is none.
inline std::string error_of(const std::string& text) {
  try {
    (void)plan(text);
  } catch (const Error& error) {
    return std::to_string(error.where().line) + " " + error.message() +
           (error.hint().empty() ? "" : "\n" + error.hint());
  }
  return "no error";
}

}  // namespace warpmark
