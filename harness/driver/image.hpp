// CUDA arrays, and the texture or surface object by which a kernel reaches one.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/dtype.hpp"
#include "driver/handle.hpp"

namespace warpmark {

/// The properties of a new image.
struct ImageConfig {
  std::string name;                 ///< for error texts
  DType dtype;                      ///< dtype of a channel
  unsigned int channels = 1;        ///< 1, 2 or 4
  std::array<size_t, 3> extents{};  ///< elements in x, y and z; 0 for missing dimensions
  bool surface = false;             ///< true for a surface, false for a texture
  std::array<CUaddress_mode, 3> address{CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                        CU_TR_ADDRESS_MODE_CLAMP};
  bool linear = false;           ///< interpolates
  bool normalized = false;       ///< coordinates from 0 to 1
  bool read_normalized = false;  ///< integers as floats from 0 or −1 to 1
};

/// The format of a channel; nothing if no texture has such elements.
std::optional<CUarray_format> image_format(const DType& dtype);

class Image {
 public:
  /// True if the driver has the functions that images need.
  static bool is_there(const Context& context);

  /// Throws DriverError, and an internal error for a dtype without a format.
  Image(const std::shared_ptr<const Context>& context, ImageConfig config);

  /// The object that a kernel takes as its argument.
  CUtexObject object() const { return config_.surface ? surface_.get() : texture_.get(); }
  size_t bytes() const;
  /// Copies all elements, x varying fastest, with the channels of an element side by side.
  void upload(std::span<const std::byte> from);
  void download(std::span<std::byte> to) const;
  void fill(unsigned char value);

 private:
  CUDA_MEMCPY3D copy() const;
  std::string identify() const;

  std::shared_ptr<const Context> context_;
  ImageConfig config_;
  UniqueHandle<&DriverTable::array_destroy> array_;
  UniqueHandle<&DriverTable::tex_object_destroy> texture_;
  UniqueHandle<&DriverTable::surf_object_destroy> surface_;
};

}  // namespace warpmark
