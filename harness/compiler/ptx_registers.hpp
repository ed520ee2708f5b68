// Which names in PTX are special registers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// Without the digits at its end: `%r` of `%r12`.
std::string_view without_digits(std::string_view name);

/// The special registers of the CPU device's table, without their components (`%tid.x`) and without
/// the numbered ones.
const std::vector<std::string>& special_registers();

/// `%tid`, `%clock64`, `%pm3`, `%envreg7`: one of those, or a numbered one.
bool is_special_register(std::string_view name);

}  // namespace warpmark
