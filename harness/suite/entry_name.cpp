#include "suite/entry_name.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace warpmark {

EntryName EntryName::parse(const std::string& text, const Position& where) {
  EntryName name;
  name.text_ = text;
  name.where_ = where;
  Part part;
  const auto place = [&](size_t at) {
    Position position = where;
    if (position.column > 0) position.column += static_cast<int>(at);
    return position;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      part.text += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {
      part.text += text[at++];
      continue;
    }
    const size_t end = c == '{' ? text.find('}', at) : std::string::npos;
    if (end == std::string::npos) {
      throw usage_error(fmt::format("`entry` has a `{}` without its other one", c), place(at),
                        "braces hold arithmetic, as in scale<{ctype(dtype)}, 4>; {{ and }} are "
                        "braces of the name");
    }
    const std::string inside = text.substr(at + 1, end - at - 1);
    if (trim(inside).empty()) {
      throw usage_error("`entry` has nothing between its braces", place(at));
    }
    part.value.push_back(Expression::parse(inside, place(at + 1)));
    name.parts_.push_back(std::move(part));
    part = {};
    at = end;
  }
  if (!part.text.empty()) name.parts_.push_back(std::move(part));
  return name;
}

std::vector<const Expression*> EntryName::expressions() const {
  std::vector<const Expression*> all;
  for (const Part& part : parts_) {
    for (const Expression& value : part.value) all.push_back(&value);
  }
  return all;
}

std::string EntryName::evaluate(const Scope& scope) const {
  std::string name;
  for (const Part& part : parts_) {
    name += part.text;
    for (const Expression& expression : part.value) {
      const ArithmeticValue value = expression.evaluate(scope);
      if (std::holds_alternative<std::vector<int64_t>>(value)) {
        throw usage_error(fmt::format("`{}` is the tuple {}, which no name can have",
                                      expression.text(), to_text(value)),
                          expression.where());
      }
      const bool* truth = std::get_if<bool>(&value);
      name += truth == nullptr ? to_text(value) : *truth ? "true" : "false";
    }
  }
  return name;
}

}  // namespace warpmark
