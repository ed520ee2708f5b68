// How an expression uses its arrays: which may be read and written as vectors.
#pragma once

#include <string>
#include <vector>

#include "codegen/lexer.hpp"
#include "codegen/parameters.hpp"

namespace warpmark::codegen {

/// The uses of one name in a text.
struct Usage {
  size_t count = 0;       ///< number of uses
  bool own_only = false;  ///< every time as `name[i]`, and neither its address nor `i` is touched
  bool written = false;   ///< assigned to, whatever the index
  bool always_assigned = false;  ///< `name[i] = …` happens for each element, before anything reads
};

class Expression {
 public:
  /// `text` is the operation at `pointer`; `kernel` has the macros that it may use. Throws
  /// Failures for unbalanced brackets, and directives other than `#pragma`.
  Expression(const std::string& text, const std::string& pointer, const plugin::Json& kernel);

  Usage of(const std::string& name) const;
  /// More than one statement, or a `;`.
  bool has_statements() const;
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  bool is_own_element(size_t at) const;
  bool is_written(size_t at) const;
  bool assigned_first(const std::string& name) const;
  const Token* token_at(size_t at) const;  ///< nullptr behind the last one
  bool is_member(size_t at) const;
  bool is_declared(size_t at) const;
  bool is_assigned(size_t at) const;
  /// Another `i` is declared, or it is assigned to.
  bool index_is_touched() const;
  bool takes_address(size_t at) const;
  bool may_leave(const std::vector<Token>& statement) const;
  bool in_macros(const std::string& name) const;

  std::vector<Token> tokens_;
  std::vector<Token> macro_tokens_;        ///< of all bodies that are known
  std::vector<std::string> risky_macros_;  ///< that may leave the statement, or end it
  bool unknown_macros_ = false;            ///< the preamble includes files of the suite
};

}  // namespace warpmark::codegen
