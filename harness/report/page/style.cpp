#include "report/page/style.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpmark {

ConsoleStyle console_style(int fd) {
  ConsoleStyle style;
  if (::isatty(fd) == 0) return style;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return style;
  const char* no_color = std::getenv("NO_COLOR");
  style.colour = no_color == nullptr || *no_color == '\0';
  style.progress = true;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

std::string coloured(const ConsoleStyle& style, Colour colour, std::string_view text) {
  if (!style.colour || colour == Colour::plain) return std::string(text);
  constexpr int kCodes[] = {0, 1, 2, 31, 32, 33};  // ECMA-48 SGR parameters, in Colour's order
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<size_t>(colour)], text);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || !std::isfinite(seconds)) return "?";
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(std::min(seconds, 1e9));
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace warpmark
