// The library of the toolkit that a stand-in stands for, and has its work done by.
#pragma once

#include <string>

namespace warpmark::toolkit {

/// The path of the real library, with the same name and version, or "". Looked for in WARPMARK_NVRTC
/// (NVRTC only), WARPMARK_CUDA_HOME, the folders of NVIDIA's wheels beside a Python module of this
/// process, CUDA_HOME, CUDA_PATH, /usr/local/cuda, what ./bootstrap fetched, and the loader's path.
/// Nothing is opened for it.
const std::string& real_library();

/// A function of that library, which the first call opens, its builtins before it: a wheel's NVRTC
/// does not find them. Null with a sentence on standard error, once, if it cannot be had.
void* real_function(const char* name);

/// The folder of this library, without a slash at its end.
std::string own_folder();

}  // namespace warpmark::toolkit
