// Textures and surfaces that a kernel expects and that no suite can give: layered ones, cube maps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpmark {

/// An instruction on a layered texture or surface, or on a cube map.
struct ImageUse {
  std::string opcode;    ///< "tex.a2d.v4.f32.f32"
  std::string function;  ///< of CUDA C++ that becomes it: "tex2DLayered", "surf2DLayered…"
  friend bool operator==(const ImageUse&, const ImageUse&) = default;
};

/// The first one in the kernel with that symbol, or in a function that it calls by name. A device
/// does not say that the texture has another form: it reads layer 0, or one face.
std::optional<ImageUse> layered_image_use(std::string_view ptx, const std::string& symbol);

}  // namespace warpmark
