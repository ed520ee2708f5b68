// Turns any exception into the Error that is reported.
#pragma once

#include <exception>

#include "base/error.hpp"

namespace warpmark {

/// The Error for an exception that is caught: itself if it is one; the environment's if the system
/// lacks memory, threads or files; else a mistake of ours.
Error to_error(const std::exception_ptr& exception);

}  // namespace warpmark
