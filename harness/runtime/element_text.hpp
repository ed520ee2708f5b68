// Elements and the distances between them as text.
#pragma once

#include <string>

#include "runtime/comparison.hpp"

namespace warpmark {

/// GCC's and Clang's 128-bit integer: |x − e| of an int64 and a uint64 needs 65 bits.
__extension__ using Unsigned128 = unsigned __int128;

std::string decimal_text(Unsigned128 value);

/// The shortest text that reads back to the same double; "nan", "inf" and "-inf".
std::string real_text(double value);

/// As real_text of the nearest double, where a double can hold the value's magnitude; else at its
/// own precision.
std::string real_text(long double value);

}  // namespace warpmark
