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
  /// Throws a usage error for a brace without its other one, and for what is no arithmetic.
  static EntryName parse(const std::string& text, const Position& where);

  const std::string& text() const { return text_; }  ///< as written
  const Position& where() const { return where_; }
  /// What is in braces; all cases have one name if there is nothing.
  std::vector<const Expression*> expressions() const;
  /// The name where the axes have these values. A bool is written as C++ writes it. Throws a usage
  /// error for a value that no name can have, a tuple.
  std::string evaluate(const Scope& scope) const;

 private:
  /// A text, or an expression after it.
  struct Part {
    std::string text;
    std::vector<Expression> value;  ///< one or none
  };

  std::string text_;
  Position where_;
  std::vector<Part> parts_;
};

}  // namespace warpmark
