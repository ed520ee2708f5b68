// Finds the context that a handle belongs to.
#include "api/owner.hpp"

namespace warpmark::cpu {
namespace {

template <typename Has>
Context* first_that(Has has) {
  for (const auto& [handle, context] : driver().contexts) {
    if (has(*context)) return context.get();
  }
  return nullptr;
}

}  // namespace

Context* owner_of(CUstream stream) {
  return first_that([&](const Context& one) { return one.streams.contains(stream); });
}
Context* owner_of(CUevent event) {
  return first_that([&](const Context& one) { return one.events.contains(event); });
}
Context* owner_of(CUmodule module) {
  return first_that([&](const Context& one) { return one.modules.contains(module); });
}
Context* owner_of(CUfunction function) {
  return first_that([&](const Context& one) { return one.kernels.contains(function); });
}
Context* owner_of(CUarray array) {
  return first_that([&](const Context& one) { return one.images.arrays.contains(array); });
}
Context* owner_of(CUmipmappedArray array) {
  return first_that([&](const Context& one) { return one.images.mipmaps.contains(array); });
}
Context* owner_of(CUlinkState state) {
  return first_that([&](const Context& one) { return one.links.contains(state); });
}
Context* owner_of(TextureHandle texture) {
  return first_that(
      [&](const Context& one) { return one.images.textures.contains(texture.object); });
}
Context* owner_of(SurfaceHandle surface) {
  return first_that(
      [&](const Context& one) { return one.images.surfaces.contains(surface.object); });
}

Context* owner_of(AddressHandle address) {
  if (Context* owner = driver().owner(address.address)) return owner;
  return first_that(
      [&](const Context& one) { return one.host_range_at(address.address) != nullptr; });
}

}  // namespace warpmark::cpu
