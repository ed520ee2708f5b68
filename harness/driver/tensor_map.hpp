// CUtensorMap objects, which describe an array for copies of its boxes (TMA).
#pragma once

#include <optional>
#include <string>

#include "base/tensor_map.hpp"
#include "driver/context.hpp"

namespace warpmark {

/// True if the driver has the function, and the device the instructions.
bool has_tensor_maps(const Context& context);

/// The bytes of a CUtensorMap of the memory at `address`; `name` is for error texts. The form keeps
/// all rules. Throws DriverError.
std::string encoded_tensor_map(const Context& context, const TensorMapForm& form,
                               CUdeviceptr address, const std::string& name);

/// The driver's reason for having no such tensor maps; nothing if it has.
std::optional<std::string> lacks_tensor_map(const Context& context, const TensorMapForm& form,
                                            const std::string& name);

}  // namespace warpmark
