// Headers that one process has read, for others: in memory that all may map and nobody may change.
#pragma once

#include <vector>

#include "base/file.hpp"
#include "compiler/includes.hpp"

namespace warpmark {

/// A sealed memory file of the headers; none where the system has no such files.
UniqueFd pack_headers(const std::vector<Header>& headers);

/// The headers of such a file. Throws an internal error for any other.
std::vector<Header> unpack_headers(int file);

}  // namespace warpmark
