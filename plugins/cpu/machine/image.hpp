// Textures and surfaces as a launch sees them: validated descriptions of texels in device memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpmark::cpu {

/// The kind of number that a channel of a texel holds.
enum class ChannelKind : std::uint8_t { u8, u16, u32, s8, s16, s32, f16, f32 };

/// A texel: 1, 2 or 4 channels of one kind.
struct TexelFormat {
  ChannelKind kind = ChannelKind::u8;
  std::uint8_t channels = 1;
  bool normalised = false;  ///< CU_AD_FORMAT_UNORM_… and SNORM_…: numbers up to 1, never integers

  [[nodiscard]] std::uint32_t channel_bytes() const {
    switch (kind) {
      case ChannelKind::u8:
      case ChannelKind::s8:
        return 1;
      case ChannelKind::u16:
      case ChannelKind::s16:
      case ChannelKind::f16:
        return 2;
      default:
        return 4;
    }
  }
  [[nodiscard]] std::uint32_t bytes() const { return channel_bytes() * channels; }
  [[nodiscard]] bool real() const { return kind == ChannelKind::f16 || kind == ChannelKind::f32; }
};

/// The tiles of a sparse array, in texels; 64 KiB each, and a tile's texels lie in rows. Tiles lie in
/// rows of `across`, which lie in slices of `down`.
struct Tiles {
  static constexpr std::uint64_t kBytes = std::uint64_t{64} << 10;
  std::uint32_t width = 0, height = 0, depth = 0;  ///< 0: the image has none
  std::uint32_t across = 0, down = 0;
};

/// Texels in rows, rows in slices. A slice is a depth of a 3D image, else a layer; six layers make
/// a cubemap's faces (+x, −x, +y, −y, +z, −z). All extents are at least 1.
struct Image {
  TexelFormat format;
  std::uint64_t address = 0;                                   ///< in the arena, of the first texel
  std::uint64_t width = 1, height = 1, depth = 1, layers = 1;  ///< texels; slices
  std::uint64_t row_pitch = 0, slice_pitch = 0;                ///< bytes; with tiles, of a layer
  Tiles tiles{};
  bool in_parts = false;  ///< memory is mapped there later, and perhaps not everywhere

  [[nodiscard]] std::uint64_t slices() const { return depth * layers; }
  /// Bytes from the first texel to the end of the last one.
  [[nodiscard]] std::uint64_t bytes() const {
    if (tiles.width != 0) return layers * slice_pitch;
    return (slices() - 1) * slice_pitch + (height - 1) * row_pitch + width * format.bytes();
  }
  /// Where a texel's bytes begin, counted from `address`. The caller has checked the position.
  [[nodiscard]] std::uint64_t offset(std::uint64_t x, std::uint64_t y, std::uint64_t slice) const {
    if (tiles.width != 0) return offset_in_tiles(x, y, slice);
    return slice * slice_pitch + y * row_pitch + x * format.bytes();
  }
  [[nodiscard]] std::uint64_t offset_in_tiles(std::uint64_t x, std::uint64_t y,
                                              std::uint64_t slice) const {
    const std::uint64_t layer = depth > 1 ? 0 : slice, z = depth > 1 ? slice : 0;
    const std::uint64_t tile =
        (z / tiles.depth * tiles.down + y / tiles.height) * tiles.across + x / tiles.width;
    const std::uint64_t texel =
        (z % tiles.depth * tiles.height + y % tiles.height) * tiles.width + x % tiles.width;
    return layer * slice_pitch + tile * Tiles::kBytes + texel * format.bytes();
  }
  /// The bytes of a row that lie together from a texel on.
  [[nodiscard]] std::uint64_t together(std::uint64_t x) const {
    return (tiles.width == 0 ? width - x : tiles.width - x % tiles.width) * format.bytes();
  }
};

/// The values of CUaddress_mode and CUfilter_mode.
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class Filter : std::uint8_t { point, linear };

/// A texture, as described to cuTexObjectCreate.
struct Texture {
  std::vector<Image> levels;  ///< from the largest; one, if there are no mipmaps
  bool linear_memory = false;
  std::array<AddressMode, 3> address{};
  Filter filter = Filter::point, level_filter = Filter::point;
  bool normalized = false;  ///< coordinates
  bool as_integer = false;  ///< texels are not turned into numbers in [0, 1] or [−1, 1]
  bool srgb = false;        ///< 8-bit colours are linearised; alpha is not
  bool seamless = false;    ///< a filter of a cubemap goes on to the faces beside one
  float level_bias = 0, least_level = 0, most_level = 0;
  std::array<float, 4> border{};

  /// True if a fetch gives real numbers, not the stored integers.
  [[nodiscard]] bool real_valued() const {
    const TexelFormat format = levels[0].format;
    return format.real() || format.normalised || (!as_integer && format.channel_bytes() < 4);
  }
};

/// The images behind the handles that a context has given out. A handle is an index with a serial
/// number that no other handle of the process ever has, so a handle from a kernel finds either
/// exactly its object or nothing: a destroyed handle, or one of another context or of the other
/// kind, finds nothing.
template <typename Object>
class HandleTable {
 public:
  std::uint64_t add(Object object);
  /// False if there is no such handle.
  bool remove(std::uint64_t handle);
  [[nodiscard]] const Object* find(std::uint64_t handle) const {
    const std::uint64_t index = handle & kIndexMask;
    if (handle != 0 && index < entries_.size() && entries_[index].handle == handle)
      return &entries_[index].object;
    const auto reference = references_.find(handle);
    return reference == references_.end() || !reference->second ? nullptr : &*reference->second;
  }

  /// A reference of a module stands for what is bound to it. Its handle is its variable's address.
  void bind(std::uint64_t address, std::optional<Object> object) {
    references_[address] = std::move(object);
  }
  void forget(std::uint64_t address) { references_.erase(address); }
  [[nodiscard]] bool is_reference(std::uint64_t handle) const {
    return references_.contains(handle);
  }

 private:
  static constexpr int kIndexBits = 20;  // a million handles at a time, as many as the driver has
  static constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
  struct Entry {
    std::uint64_t handle = 0;  ///< 0: free
    Object object;
  };
  std::deque<Entry> entries_;  ///< stays where it is as it grows
  std::vector<std::uint64_t> free_;
  std::map<std::uint64_t, std::optional<Object>> references_;
};

/// The textures and surfaces that kernels can access through handles.
struct ImageTable {
  HandleTable<Texture> textures;
  HandleTable<Image> surfaces;
};

extern template class HandleTable<Texture>;
extern template class HandleTable<Image>;

}  // namespace warpmark::cpu
