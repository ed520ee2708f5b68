// HTML that data cannot break out of, in pages that load nothing and run no script.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace warpmark {

/// The text for an element's content or a quoted attribute: printable, with markup escaped.
std::string html_text(std::string_view text);

/// A page of an embedded text for its body, "report/history/history", to be filled with `values`: its
/// `title`, which is plain text, and whatever the body asks for. The page's policy forbids scripts
/// and whatever would be loaded. Its style is page.css, then `style`, by default the body's own.
std::string html_page(const std::string& body, nlohmann::ordered_json values,
                      const std::string& style = "");

}  // namespace warpmark
