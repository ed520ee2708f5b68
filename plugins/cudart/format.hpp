// Formats of channels, in the runtime's words and the driver's.
#pragma once

#include "driver.hpp"

namespace warpmark::cudart {

/// False if the driver has no such format.
bool driver_format(const cudaChannelFormatDesc& channels, CUarray_format& format,
                   unsigned int& count);
cudaChannelFormatDesc channels_of(CUarray_format format, unsigned int count);

}  // namespace warpmark::cudart
