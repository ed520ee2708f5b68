// The words of expressions that people type into a debugger.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark::debugging {

struct ExpressionToken {
  enum class Kind : uint8_t { name, integer, real, sign, end };
  Kind kind = Kind::end;
  std::string text;
  uint64_t integer = 0;
  double real = 0;
  size_t column = 1;
};

/// The last one is of the kind `end`. Throws a usage error for what is no word.
std::vector<ExpressionToken> expression_tokens(std::string_view text);

}  // namespace warpmark::debugging
