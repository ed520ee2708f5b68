// Text in one line of a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// Printable, with line breaks and tabs as blanks.
std::string in_one_line(std::string_view text);

/// Characters of UTF-8, each counted as one column.
size_t columns(std::string_view text);

/// With blanks up to that width, after the text or before it.
std::string padded(const std::string& text, size_t width, bool to_the_right = false);

/// The text in lines of at most `width` columns, broken at blanks; a longer word has its own line.
/// Breaks that the text has stay.
std::vector<std::string> wrapped(std::string_view text, size_t width);

/// The lines of a text of others, each behind the margin, so that none looks like one of ours; if
/// there are more than `most` and one, the rest is counted.
std::string behind_margin(std::string_view text, std::string_view margin,
                          size_t most = std::string::npos - 1);

}  // namespace warpmark
