// HTML that data cannot break out of.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// The text for an element's content or a quoted attribute: printable, with markup escaped.
std::string html_text(std::string_view text);

}  // namespace warpmark
