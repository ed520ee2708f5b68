// The language of `-k`: words, `and`, `or`, `not` and parentheses over case ids, as in pytest.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// A parsed expression:
///
///     or    := and ("or" and)*
///     and   := not ("and" not)*
///     not   := "not" not | "(" or ")" | word
///
/// A word holds for an id that contains it, in capitals or not. One with `*`, which stands for any
/// characters, must fit the whole id: `*n=4` leaves out n=400. A minus is what ids write as `~`.
/// Nothing at all, or spaces, holds for every id.
class SelectExpression {
 public:
  /// Throws a usage error that names the column of the mistake; `what` is the option or key.
  /// `where` is the place of the text in a file, if it is from one.
  static SelectExpression parse(std::string_view text, const std::string& what,
                                const Position& where = {});

  bool matches(std::string_view id) const;
  /// The words, in order, in small letters.
  const std::vector<std::string>& words() const { return words_; }
  bool empty() const { return root_ == nullptr; }

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
  std::vector<std::string> words_;
};

}  // namespace warpmark
