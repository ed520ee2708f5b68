#include "driver/tensor_map.hpp"

#include <fmt/format.h>

#include <vector>

namespace warpmark {

bool has_tensor_maps(const Context& context) {
  return context.table().tensor_map_encode_tiled &&
         context.device().attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED) != 0;
}

std::string encoded_tensor_map(const Context& context, const TensorMapForm& form,
                               CUdeviceptr address, const std::string& name) {
  const ScopedContext current(context);
  // The driver's first dimension varies fastest.
  const auto reversed = [](const std::vector<uint64_t>& numbers, auto number) {
    return std::vector<decltype(number)>(numbers.rbegin(), numbers.rend());
  };
  const auto shape = reversed(form.shape, cuuint64_t());
  auto strides = reversed(form.strides, cuuint64_t());
  const auto box = reversed(form.box, cuuint32_t());
  const auto steps = reversed(form.element_strides, cuuint32_t());
  // The driver wants a pointer even to no strides.
  if (strides.empty()) strides.push_back(0);
  // The enumerations are in the order of cuda.h.
  const TensorMapSettings& settings = form.settings;
  CUtensorMap map{};
  context.driver().call(
      context.table().tensor_map_encode_tiled,
      [&] { return fmt::format("the tensor map `{}`, {}", name, context.identify()); }, &map,
      static_cast<CUtensorMapDataType>(form.type), static_cast<cuuint32_t>(form.shape.size()),
      reinterpret_cast<void*>(address), shape.data(), strides.data(), box.data(), steps.data(),
      static_cast<CUtensorMapInterleave>(settings.interleave),
      static_cast<CUtensorMapSwizzle>(settings.swizzle),
      static_cast<CUtensorMapL2promotion>(settings.l2_promotion),
      static_cast<CUtensorMapFloatOOBfill>(settings.fill));
  return {reinterpret_cast<const char*>(&map), sizeof map};
}

std::optional<std::string> lacks_tensor_map(const Context& context, const TensorMapForm& form,
                                            const std::string& name) {
  constexpr CUdeviceptr kAnyAddress = 4096;  // the driver looks at its alignment alone
  try {
    (void)encoded_tensor_map(context, form, kAnyAddress, name);
  } catch (const DriverError& error) {
    if (error.result() != CUDA_ERROR_NOT_SUPPORTED) throw;
    return error.message();
  }
  return std::nullopt;
}

}  // namespace warpmark
