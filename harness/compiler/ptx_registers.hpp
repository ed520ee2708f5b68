// Which names in PTX are special registers.
#pragma once

#include <string_view>

namespace warpmark {

/// Without the digits at its end: `%r` of `%r12`.
std::string_view without_digits(std::string_view name);

/// `%tid`, `%clock64`, `%pm3`, `%envreg7`: all that PTX defines.
bool is_special_register(std::string_view name);

}  // namespace warpmark
