// For NVRTC in nvcc's place, which declares memcpy and memset itself.
#pragma once
#include "stddef.h"
namespace std {
using ::memcpy;
using ::memset;
}  // namespace std
