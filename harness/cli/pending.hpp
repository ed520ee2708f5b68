// What other folders will provide; goes away with their merge.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "cli/check_request.hpp"
#include "python/interpreter.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// The check front: runs `cases` in a session on `python` and writes the reports.
ExitCode run_check_front(Interpreter& python, const CheckRequest& request,
                         const std::vector<Case>& cases);

}  // namespace warpmark
