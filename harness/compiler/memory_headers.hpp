// Headers read ahead, for a compiler that will not be able to open a file.
#pragma once

#include <string>
#include <vector>

#include "compiler/cache.hpp"
#include "compiler/includes.hpp"
#include "compiler/nvrtc.hpp"

namespace warpmark {

/// The toolkit's headers `names`, as written between brackets, and all that they include, under
/// every spelling that is used among them; and our own C and C++ headers. `own` come first: a
/// spelling of theirs is not the toolkit's. The cache keeps what is not `own` for the next process.
/// Throws an environment error for a name that the toolkit does not have.
std::vector<Header> read_headers(const Nvrtc& nvrtc, const std::vector<std::string>& names,
                                 const std::vector<Header>& own, const CompileCache& cache);

}  // namespace warpmark
