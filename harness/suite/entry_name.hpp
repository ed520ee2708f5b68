// The name of a kernel as a suite gives it, with arithmetic in braces.
#pragma once

#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"

namespace warpmark {

/// "saxpy", or with parts that each case fills in: "scale<{ctype(dtype)}, {items}>". `{{` and `}}`
/// are braces.
class EntryName {
 public:
  /// Throws a usage error for an unmatched brace, and for invalid arithmetic.
  static EntryName parse(const std::string& text, const Position& where);

  const std::string& text() const { return text_; }  ///< as written
  const Position& where() const { return where_; }
  /// The expressions in braces; without any, all cases have one name.
  std::vector<const Expression*> expressions() const;
  /// The name for these values of the axes. A bool is written as in C++. Throws a usage error for a
  /// tuple, which no name can have.
  std::string evaluate(const Scope& scope) const;

 private:
  /// A text, and possibly an expression after it.
  struct Part {
    std::string text;
    std::vector<Expression> value;  ///< one or none
  };

  std::string text_;
  Position where_;
  std::vector<Part> parts_;
};

}  // namespace warpmark
