// CUDA arrays, and a context's tables of arrays, textures and surfaces.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/cuda_api.hpp"
#include "api/find.hpp"
#include "api/mapped_range.hpp"
#include "api/number.hpp"
#include "machine/image.hpp"

namespace warpmark::cpu {

/// An H200's device attributes MAXIMUM_TEXTURE… and MAXIMUM_SURFACE…, in texels.
struct ImageLimits {
  static constexpr std::uint64_t width_1d = 131072, linear_1d = std::uint64_t{1} << 28;
  static constexpr std::uint64_t width_2d = 131072, height_2d = 65536;
  static constexpr std::uint64_t linear_width = 131072, linear_height = 65000,
                                 linear_pitch = 2097120;
  static constexpr std::uint64_t gather = 32768, cube = 32768;
  static constexpr std::uint64_t size_3d = 16384, alternate_3d = 8192, alternate_depth = 32768;
  static constexpr std::uint64_t layered = 32768, layers = 2048, cube_layers = 2046;
  static constexpr std::uint64_t surface_1d = 32768;
  static constexpr std::uint64_t alignment = 512;       ///< bytes, of a texture's address
  static constexpr std::uint64_t pitch_alignment = 32;  ///< bytes, of a texture's rows
};

/// A CUDA array; CUarray is its address. Its texels lie in rows in the arena, but programs cannot
/// learn their address.
struct ImageArray {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  Image image;
  std::unique_ptr<MappedRange> range;  ///< of a sparse one, or one that memory is mapped into
  CUmipmappedArray mipmap = nullptr;   ///< array whose level it is, and which owns the memory
};

/// A mipmapped array; CUmipmappedArray is its address.
struct MipmappedArray {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  std::uint64_t address = 0;
  std::unique_ptr<MappedRange> range;
  std::vector<CUarray> levels;
};

/// A texture or surface reference of a module; CUtexref and CUsurfref are its address.
struct ImageReference {
  std::uint64_t variable = 0;  ///< handle by which kernels name it; 0: of cuTexRefCreate
  std::optional<CUDA_RESOURCE_DESC> resource;
  CUDA_TEXTURE_DESC sampler{};
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  int channels = 1;
};

/// A context's images.
struct Images {
  ImageTable table;  ///< images that kernels can access
  std::map<CUarray, std::unique_ptr<ImageArray>> arrays;
  std::map<CUmipmappedArray, std::unique_ptr<MipmappedArray>> mipmaps;
  struct TextureDescription {
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC texture{};
    std::optional<CUDA_RESOURCE_VIEW_DESC> view;
  };
  std::unordered_map<CUtexObject, TextureDescription> textures;
  std::unordered_map<CUsurfObject, CUDA_RESOURCE_DESC> surfaces;
  std::map<CUtexref, std::unique_ptr<ImageReference>> texture_references;
  std::map<CUsurfref, std::unique_ptr<ImageReference>> surface_references;

  [[nodiscard]] const ImageArray* find(CUarray array) const { return find_in(arrays, array); }
};

/// The texel format of a CUarray_format and channels; none if this device has no such format.
std::optional<TexelFormat> texel_format(unsigned int format, unsigned int channels);

/// Makes the texture of a resource and a sampler.
CUresult texture_of(struct Context& context, const CUDA_RESOURCE_DESC& resource,
                    const CUDA_TEXTURE_DESC& sampler, Texture& texture);

/// Ends the references of a module that is unloaded, whose variables these are.
void forget_references(Images& images, std::uint64_t variable);

}  // namespace warpmark::cpu
