// HTML that data cannot break out of, in pages that load nothing and run no script.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// The text for an element's content or a quoted attribute: printable, with markup escaped.
std::string html_text(std::string_view text);

/// A page up to and with its <body> tag: its policy forbids scripts and whatever would be loaded,
/// and its style is kPageStyle, then `more_style`. The title is plain text.
std::string html_head(std::string_view title, std::string_view more_style = "");

}  // namespace warpmark
