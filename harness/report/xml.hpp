// XML 1.0 that data cannot break out of, the same for every JUnit report.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// Text that XML 1.0 can hold; not escaped.
std::string xml_text(std::string_view text);

/// The text for an attribute in double quotes: escaped, its line breaks too, which are blanks to a
/// reader else.
std::string xml_attribute(std::string_view text);

/// The text for an element's content, with its line breaks as they are.
std::string xml_content(std::string_view text);

}  // namespace warpmark
