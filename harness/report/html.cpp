#include "report/html.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpmark {

std::string html_text(std::string_view text) {
  return escape(printable(text),
                {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

}  // namespace warpmark
