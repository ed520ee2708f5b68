// Markdown that data cannot break out of: escaped text and code.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// The text as it is shown, in one line: what Markdown or HTML would read as markup is escaped.
std::string markdown_text(std::string_view text);

/// The text as code, in a cell of a table as well.
std::string markdown_code(std::string_view text);

}  // namespace warpmark
