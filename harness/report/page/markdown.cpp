#include "report/page/markdown.hpp"

#include "base/escape.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {

std::string markdown_text(std::string_view text) {
  // CommonMark: a backslash before any ASCII punctuation makes it plain. `@` would call a user, and
  // `#` link an issue, which a backslash does not stop everywhere.
  return escape(in_one_line(text), {{'<', "&lt;"},
                                    {'>', "&gt;"},
                                    {'&', "&amp;"},
                                    {'@', "&#64;"},
                                    {'#', "&#35;"},
                                    {'\\', "\\\\"},
                                    {'`', "\\`"},
                                    {'*', "\\*"},
                                    {'[', "\\["},
                                    {']', "\\]"},
                                    {'|', "\\|"},
                                    {'~', "\\~"}});
}

std::string markdown_code(std::string_view text) {
  // A fence may not be escaped inside code, and no case id has one; a bar ends a cell even there.
  return "`" + escape(in_one_line(text), {{'`', "'"}, {'|', "\\|"}}) + "`";
}

}  // namespace warpmark
