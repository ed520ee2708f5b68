// From an image that nvcc put into a program to a library of the driver.
#pragma once

#include "driver.hpp"

namespace warpmark::cudart {

/// `wrapper` is a __fatBinC_Wrapper_t of the toolkit's fatbinary_section.h.
CUresult load_image(const void* wrapper, CUlibrary& library);

}  // namespace warpmark::cudart
