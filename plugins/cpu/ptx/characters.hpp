// Classes of characters that do not depend on the host program's locale, as isdigit() does.
#pragma once

namespace warpmark::cpu {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace warpmark::cpu
