// The part of Python's syntax that says something about whole arrays: expressions and assignments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpmark/plugin.hpp"

namespace warpmark::array {

/// A text of the suite: a mistake in it is reported at its line and column.
class Text {
 public:
  Text(std::string text, std::string pointer)
      : text_(std::move(text)), pointer_(std::move(pointer)) {}
  const std::string& text() const { return text_; }
  const std::string& pointer() const { return pointer_; }
  /// Throws a Failure at the character `at`.
  [[noreturn]] void fail(size_t at, const std::string& message, const std::string& hint = {}) const;

 private:
  std::string text_, pointer_;
};

enum class SyntaxKind : uint8_t {
  integer,    ///< `text` has its digits
  real,       ///< a floating-point number
  name,       ///< also True, False and None
  string,     ///< 'float32'
  attribute,  ///< parts[0].text
  call,       ///< parts[0](parts[1], …); `keywords` has a name, or "", for each part
  subscript,  ///< parts[0][parts[1], …]
  slice,      ///< start, stop, step; absent ones are of the kind `nothing`
  ellipsis,   ///< ...
  nothing,
  unary,        ///< `text` is - + ~
  binary,       ///< `text` is + - * / // % ** << >> & | ^, or a comparison
  conditional,  ///< parts[0] if parts[1] else parts[2]
  sequence,     ///< a tuple or a list
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::nothing;
  std::string text;
  std::vector<Syntax> parts;
  std::vector<std::string> keywords;
  size_t at = 0;   ///< the character of the text where it begins; of an operator its own
  size_t end = 0;  ///< behind its last character
};

/// `targets = value`, or `target OPERATOR= value`.
struct Assignment {
  std::vector<Syntax> targets;
  std::string op;  ///< "" or the operator before `=`
  Syntax value;
  size_t at = 0;
};

/// Throws Failures for what is no expression, or is one that has no meaning for whole arrays.
Syntax parse_expression(const Text& text);
/// The assignments of a text, divided by line ends and semicolons.
std::vector<Assignment> parse_assignments(const Text& text);

/// The names that a syntax uses, without attributes and keywords.
void add_names(const Syntax& syntax, std::vector<std::string>& names);

/// The known word that `word` is most like, as "; did you mean `sqrt`?" without "; ", or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace warpmark::array
