// Bytes as hexadecimal digits: how a JSON text carries them.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// Two lower-case digits a byte.
std::string to_hex(std::string_view bytes);

/// And back. Throws std::invalid_argument for what to_hex does not make.
std::string from_hex(std::string_view digits);

}  // namespace warpmark
