// Calls functions of Python files with tensors of PyTorch, in a process of its own.
#pragma once

#include "python/function.hpp"

namespace warpmark {

/// Returns the result of the function as a NumPy array. Each parameter gets the value of its name
/// in the scope: arrays are tensors on the CPU of the same dtype (bfloat16 and float8, too), scalars
/// are Python's numbers, and `generator` is a torch.Generator where an argument has `rng`. A result
/// may be a tensor of any device or strides, a number, or a list; floats that NumPy lacks come as
/// float32.
///
/// The process is started at the first call and serves all later ones. It is the Python of
/// WARPMARK_PYTHON, else of VIRTUAL_ENV, else the front's. This process never imports PyTorch.
///
/// Throws as `call` does; an environment error if that Python has no PyTorch, or ends.
Value call_with_tensors(Interpreter& python, const PythonFunction& function,
                        const PythonScope& scope, ExitCode on_error);

}  // namespace warpmark
