#include "grade/submission/student_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/characters.hpp"
#include "base/sha256.hpp"

namespace warpmark {

namespace {

// Names of files have no more than 255 bytes on Linux, and renderers add suffixes.
constexpr size_t kMostNameBytes = 200;
constexpr size_t kHashDigits = 16;

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  ///< 0: not UTF-8
};

// Unicode 15, table 3-7: neither overlong forms nor surrogates.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
  if (bytes == 0 || byte(0) > 0xF4 || text.size() < bytes) return {};
  uint32_t value = byte(0) & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  const uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, bytes};
}

// Characters that show nothing, or turn the text around them.
bool is_invisible(uint32_t value) {
  return value < 0xA1 || value == 0xAD || value == 0x061C || value == 0x180E ||
         (value >= 0x2000 && value <= 0x200F) || (value >= 0x2028 && value <= 0x202F) ||
         (value >= 0x205F && value <= 0x206F) || value == 0x3000 || value == 0xFEFF ||
         (value >= 0xFFF0 && value <= 0xFFFF) || value >= 0xE0000;
}

// True for code points that no line shows as they are: controls, marks that turn the text around
// them, ends of lines. Files keep them as U+FFFD, which could make two names equal.
bool is_unspeakable(uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

bool is_plain(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '_' || byte == '-';
}

}  // namespace

std::string student_name(std::string_view bytes) {
  std::string name;
  while (!bytes.empty()) {
    const CodePoint point = first_code_point(bytes);
    if (point.bytes == 0) {
      name += fmt::format("\\x{:02X}", static_cast<unsigned char>(bytes[0]));
    } else if (is_unspeakable(point.value)) {
      name += fmt::format("\\u{{{:X}}}", point.value);
    } else if (point.value == '\\') {
      name += "\\\\";  // without it the backslash could be read as one of these escapes
    } else {
      name += bytes.substr(0, point.bytes);
    }
    bytes.remove_prefix(std::max<size_t>(1, point.bytes));
  }
  return name;
}

std::string folder_name(std::string_view student) {
  std::string name;
  for (size_t at = 0; at < student.size();) {
    const CodePoint point = first_code_point(student.substr(at));
    const size_t bytes = std::max<size_t>(1, point.bytes);
    const bool ascii = point.value < 0x80;
    const char byte = student[at];
    const bool middle = at > 0 && at + 1 < student.size();
    // A dot in front would hide the folder, or mean this folder or its parent.
    const bool kept = point.bytes > 0 && (ascii ? (is_plain(byte) && (byte != '.' || at > 0)) ||
                                                      (byte == ' ' && middle)
                                                : !is_invisible(point.value));
    for (size_t i = 0; i < bytes; ++i) {
      const char one = student[at + i];
      if (kept) {
        name += one;
      } else {
        name += fmt::format("%{:02X}", static_cast<unsigned char>(one));
      }
    }
    at += bytes;
  }
  if (name.empty()) return "%";
  if (name.size() <= kMostNameBytes) return name;
  size_t cut = kMostNameBytes - kHashDigits - 1;
  // Cuts neither within a character nor within a "%2F".
  while ((static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;
  for (size_t back = 1; back <= 2 && back <= cut; ++back) {
    if (name[cut - back] == '%') {
      cut -= back;
      break;
    }
  }
  return name.substr(0, cut) + "~" + sha256_hex(student).substr(0, kHashDigits);
}

}  // namespace warpmark
