#include "report/page/html.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/template.hpp"
#include "base/text.hpp"
#include "report/page/picture.hpp"

namespace warpmark {

std::string html_text(std::string_view text) {
  return escape(printable(text),
                {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string html_page(const std::string& body, nlohmann::ordered_json values,
                      const std::string& style) {
  const size_t dropped = drop_pictures(values);
  std::string filled_body = filled_file(body + ".html", values, html_text);
  std::string styles(embedded_text((style.empty() ? body : style) + ".css"));
  if (filled_body.find("<figure class=\"picture\"") != std::string::npos) {
    styles += embedded_text("report/page/picture.css");
  }
  if (dropped > 0) {
    filled_body += fmt::format(
        "<p class=\"remark\">{} left out: the page stays small. Pages of fewer cases have "
        "them.</p>\n",
        counted(dropped, "further picture") + (dropped == 1 ? " is" : " are"));
  }
  values["body"] = std::move(filled_body);
  values["style"] = std::move(styles);
  return filled_file("report/page/page.html", values, html_text);
}

}  // namespace warpmark
