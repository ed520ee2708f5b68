#include "report/page/html.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/page/page_style.hpp"

namespace warpmark {

std::string html_text(std::string_view text) {
  return escape(printable(text),
                {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string html_head(std::string_view title, std::string_view more_style) {
  std::string head =
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  head += "<title>" + html_text(title) + "</title>\n<style>";
  head += kPageStyle;
  head += more_style;
  return head + "</style>\n</head>\n<body>\n";
}

}  // namespace warpmark
