// Compiling by nvcc, for files that NVRTC cannot compile.
#pragma once

#include "compiler/compiler.hpp"

namespace warpmark {

/// Compiles the file of the request, `folder` / `name`, by the nvcc of WARPMARK_CUDA_HOME, PATH or
/// /usr/local/cuda. Nothing is cached: nvcc alone knows what it reads. Throws a RefusedError if the
/// file does not compile, and an environment error if there is no nvcc.
CompileResult compile_by_nvcc(const CompileRequest& request);

}  // namespace warpmark
