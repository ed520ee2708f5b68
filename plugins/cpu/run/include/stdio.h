// For NVRTC in nvcc's place, which declares printf itself.
#pragma once
#include "stddef.h"
namespace std {
using ::printf;
}
