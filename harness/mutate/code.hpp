// The words of the code that is changed: whole operators, matching brackets, bodies of functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace warpmark {

/// A token; operators of several characters are one: "<=", "&&", "+=", "->".
using CodeWord = SourceToken;

class Code {
 public:
  /// The text must outlive it.
  explicit Code(std::string_view text);

  const std::vector<CodeWord>& words() const { return words_; }
  std::string_view text() const { return text_; }
  size_t size() const { return words_.size(); }

  /// The text of a word; "" beyond both ends.
  const std::string& at(size_t index) const;
  bool is_word(size_t index) const;
  /// True if a value ends with that word: a name, a number, `)` or `]`.
  bool ends_value(size_t index) const;
  /// The index of the bracket that closes, or opens, the one at `index`; size() if there is none.
  size_t partner(size_t index) const { return partners_.at(index); }
  /// The text from the first word to the last one, with what lies between them.
  std::string between(size_t first, size_t last) const;

  struct Body {
    size_t first = 0, last = 0;         ///< its braces
    int first_line = 0, last_line = 0;  ///< of the whole function
  };
  /// Functions with a body, members of classes too; lambdas belong to theirs.
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Ranges of words, behind the last one, of variables at namespace scope and of `#define` bodies.
  const std::vector<std::pair<size_t, size_t>>& outside() const { return outside_; }

 private:
  void find_partners();
  void find_declarations(const std::vector<SourceToken>& tokens);
  void find_macros();

  std::string_view text_;
  std::vector<CodeWord> words_;
  std::vector<size_t> partners_;
  std::vector<Body> bodies_;
  std::vector<std::pair<size_t, size_t>> outside_;
};

}  // namespace warpmark
