#include "results/reproduce.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "base/file.hpp"

namespace warpmark {

std::string warpmark_version() {
  return WARPMARK_VERSION;
}

std::string utc_date() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string shell_word(std::string_view text) {
  // `~` is safe inside a word, but shells differ in where they expand it.
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/=,.:+@%";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'') {
      word += R"('\'')";
    } else {
      word += character;
    }
  }
  return word + "'";
}

std::string reproduce_command(const RepeatedCase& which, const RunContext& context) {
  std::string command = (context.launcher.empty() ? "" : context.launcher + " ") + "warpmark " +
                        context.verb + " " + shell_word(display_path(which.suite_file)) +
                        " --case " + shell_word(which.id);
  for (const std::string& axis : which.axes) command += " -a " + shell_word(axis);
  if (!which.step.empty() && context.verb == "check")
    command += " --step " + shell_word(which.step);
  if (!context.device_request.empty()) command += " --device " + shell_word(context.device_request);
  if (context.seed_given) command += " --seed " + std::to_string(context.seed);
  if (which.trial) command += " --trial " + std::to_string(*which.trial);
  if (which.schedule) command += " --schedule " + std::to_string(*which.schedule);
  if (!context.sanitize.empty()) command += " --sanitize=" + context.sanitize;
  if (!context.checks.empty()) command += " --checks " + context.checks;
  if (context.timeout_s) command += fmt::format(" --timeout-s {}", *context.timeout_s);
  return command;
}

}  // namespace warpmark
