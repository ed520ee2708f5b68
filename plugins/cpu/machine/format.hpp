// Text of a device's printf, made without the host's: a device's format string is hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmark::cpu {

/// Where the conversions of a format find their values.
class FormatArguments {
 public:
  FormatArguments() = default;
  FormatArguments(const FormatArguments&) = delete;
  FormatArguments& operator=(const FormatArguments&) = delete;
  /// The next value of 4 or 8 bytes, low bytes first.
  virtual std::uint64_t next(std::uint32_t bytes) = 0;
  /// The string at a device address, at most `most` characters of it.
  virtual std::string text(std::uint64_t address, std::size_t most) = 0;

 protected:
  ~FormatArguments() = default;
};

/// Longest width or precision; a longer one counts as this. A kernel could otherwise ask for
/// gigabytes with eleven characters.
inline constexpr std::uint32_t kMostFormatWidth = 4096;

/// Formats as CUDA's printf does (CUDA C++ programming guide, "Formatted Output"): flags `-+ #0`,
/// width and precision by number or `*`, sizes h, hh, l, ll, j, z and t, conversions
/// `c s d i u o x X p f F e E g G a A %`. There is no %n: like every unknown conversion it stays
/// as it stands and takes no value. `taken` becomes the number of values taken, those of `*` too.
std::string format_text(std::string_view format, FormatArguments& arguments, std::uint32_t& taken);

}  // namespace warpmark::cpu
