// A copy of this process that does one thing and ends.
#pragma once

#include <sys/types.h>

#include <functional>

#include "python/interpreter.hpp"

namespace warpmark {

/// Does `work` in a process that has what this one has, and ends with it. That works in a front
/// before it has threads or a driver: it leaves both to workers, which are started by exec. Null
/// for `python` where it is not started. Throws an environment error.
pid_t fork_process(Interpreter* python, const std::function<void()>& work);

}  // namespace warpmark
