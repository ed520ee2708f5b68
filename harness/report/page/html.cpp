#include "report/page/html.hpp"

#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/template.hpp"
#include "base/text.hpp"

namespace warpmark {

std::string html_text(std::string_view text) {
  return escape(printable(text),
                {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string html_page(const std::string& body, nlohmann::ordered_json values,
                      const std::string& style) {
  std::string filled_body = filled_file(body + ".html", values, html_text);
  std::string styles(embedded_text((style.empty() ? body : style) + ".css"));
  if (filled_body.find("<figure class=\"picture\"") != std::string::npos) {
    styles += embedded_text("report/page/picture.css");
  }
  values["body"] = std::move(filled_body);
  values["style"] = std::move(styles);
  return filled_file("report/page/page.html", values, html_text);
}

}  // namespace warpmark
