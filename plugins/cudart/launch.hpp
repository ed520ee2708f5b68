// A launch's configuration as the driver has it.
#pragma once

#include "driver.hpp"

namespace warpmark::cudart {

CUlaunchConfig launch_config(const cudaLaunchConfig_t& config);

}  // namespace warpmark::cudart
