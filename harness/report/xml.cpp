#include "report/xml.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpmark {

std::string xml_text(std::string_view text) {
  std::string out = printable(text);
  // printable() leaves U+FFFE and U+FFFF in, which are no XML characters.
  for (const char* bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (size_t at = 0; (at = out.find(bad, at)) != std::string::npos;) {
      out.replace(at, 3, "\xEF\xBF\xBD");
    }
  }
  return out;
}

std::string xml_attribute(std::string_view text) {
  return escape(xml_text(text),
                {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#x0A;"}});
}

std::string xml_content(std::string_view text) {
  return escape(xml_text(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

}  // namespace warpmark
