// For NVRTC in nvcc's place, which declares malloc, free and abs itself.
#pragma once
#include "stddef.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
namespace std {
using ::abs;
using ::free;
using ::malloc;
}  // namespace std
