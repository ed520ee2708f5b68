// The declarations of a CUDA C++ source, as far as its tokens show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace warpmark {

enum class DeclarationKind : uint8_t {
  scope,            ///< a namespace, or `extern "C" { … }`; its members are declarations, too
  function,         ///< with or without a body; an instance of a template, too
  type,             ///< a class with its members, an enumeration, or a name for a type or namespace
  variable,         ///< at namespace scope or in a class, and whatever else ends with a `;`
  using_namespace,  ///< `using namespace a::b;`
  assertion,        ///< `static_assert(…);`
  macro             ///< the use of a macro on lines of its own, without a `;`
};

/// A declaration; `first`, `last` and `body` are indices of tokens.
struct Declaration {
  DeclarationKind kind = DeclarationKind::variable;
  size_t first = 0;                       ///< its first token
  size_t last = 0;                        ///< behind its last token
  size_t body = 0;                        ///< the `{` of the body; `last` without one
  std::vector<std::string> names = {};    ///< the names that it declares, and perhaps more;
                                          ///< "operator" for each operator
  std::vector<Declaration> members = {};  ///< of a scope or class
};

/// Reads tokens of source_tokens(), without expanding macros. Of the branches of an `#if` each
/// begins with the braces that were open before the first. Takes any tokens in linear time: a
/// source that no compiler takes gives declarations, too.
std::vector<Declaration> declarations_of(const std::vector<SourceToken>& tokens);

/// The prefix that a scope gives to its members' names: "a::b::" of `namespace a::b {`; "" of
/// `extern "C" {` and of a namespace without a name.
std::string scope_name(const Declaration& scope, const std::vector<SourceToken>& tokens);

}  // namespace warpmark
