// How the console may be written to: colours, progress, width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmark {

enum class Verbosity : uint8_t {
  quiet,   ///< failures and the sum
  normal,  ///< a line for each suite
  verbose  ///< a line for each case
};

struct ConsoleStyle {
  bool colour = false;
  bool progress = false;  ///< a line that is rewritten; on terminals only
  size_t width = 80;      ///< columns of the terminal
  Verbosity verbosity = Verbosity::normal;
  bool for_runner = false;  ///< a CI runner reads it: no line may form a command of its
  std::optional<size_t> durations = {};  ///< how many of the slowest cases are listed; 0 for all
  size_t shown = 1;  ///< of the cases that failed in one way, how many texts are printed; 0 for all
};

/// For what `fd` is open on: colour and progress on a terminal that is not `TERM=dumb`, no colour
/// if NO_COLOR is set and not empty (no-color.org).
ConsoleStyle console_style(int fd);

enum class Colour : uint8_t { plain, bold, dim, red, green, yellow };

/// The text in that colour, or as it is if the style has none.
std::string coloured(const ConsoleStyle& style, Colour colour, std::string_view text);

/// "0.05 s", "12.3 s", "2 min 05 s".
std::string duration_text(double seconds);

}  // namespace warpmark
