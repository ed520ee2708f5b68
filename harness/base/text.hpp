// Text for people: lists, nearest names, byte counts, and output that cannot forge markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// Removes the byte order mark that editors of Windows write in front of UTF-8.
std::string_view without_byte_order_mark(std::string_view text);
/// Converts the letters A to Z to a to z, whatever the locale.
std::string lower_case(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The candidate nearest to `name` by edit distance, if near enough to be a misspelling; else "".
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// True if the identifier `word` is in a text of code.
bool has_word(std::string_view text, std::string_view word);

/// "1 case", "2 cases": a number and a noun whose plural takes an s.
std::string counted(uint64_t count, std::string_view noun);

/// "1,600 bytes", "4 KiB", "1.5 GiB": exact below 10 KiB.
std::string format_bytes(uint64_t bytes);

/// Replaces control characters (except newline and tab), characters that change the direction of
/// text, and invalid UTF-8, so that the result is valid UTF-8 and safe in a terminal and in JSON.
std::string printable(std::string_view text);

}  // namespace warpmark
