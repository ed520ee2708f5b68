// Cooperative launches, whose blocks all run at the same time.
#pragma once

#include "device/support/client.hpp"

namespace warpmark::test {

template <typename... Arguments>
CUresult cooperate(CUfunction function, Dim grid, Dim block, Arguments... arguments) {
  static const auto entry =
      api().find<decltype(cuLaunchCooperativeKernel)>("cuLaunchCooperativeKernel");
  void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
  return entry(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, nullptr, pointers);
}

}  // namespace warpmark::test
