// Structs as dtypes: a text that spells the fields, laid out as C++ does.
#pragma once

#include <optional>
#include <string_view>

#include "base/dtype.hpp"

namespace warpmark {

/// "{x:float32,y:int32[3]@16}" (see find_dtype); nothing for a mistake in it.
std::optional<DType> read_record(std::string_view name);

}  // namespace warpmark
