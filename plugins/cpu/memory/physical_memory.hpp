// Memory of a device that has no address until it is mapped: a file, which other processes may map,
// too.
#pragma once

#include <cstdint>
#include <memory>

namespace warpmark::cpu {

/// Bytes that exist once, however often they are mapped. Its files are closed with it.
class PhysicalMemory {
 public:
  /// Sizes, offsets and addresses are multiples of this, as on an H200.
  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;

  /// New memory, zero; null if the system has none. `account` counts its bytes while it lives.
  /// `has_values` is false if none of it counts as written.
  static std::shared_ptr<PhysicalMemory> create(int device, std::uint64_t bytes,
                                                unsigned int handle_types, bool has_values,
                                                std::uint64_t& account);
  /// The memory whose file a descriptor stands for, which stays the caller's; null if it is none.
  static std::shared_ptr<PhysicalMemory> import(int descriptor);
  /// A part of another process's file, which it keeps; takes the descriptor over.
  static std::shared_ptr<PhysicalMemory> part_of(int descriptor, std::uint64_t offset,
                                                 std::uint64_t bytes, int device);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  /// A descriptor for another process, the caller's; -1 if the system has none.
  [[nodiscard]] int export_file() const;
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  ///< in the file
  /// Where the file has a bit for each byte, set if that has a value.
  [[nodiscard]] std::uint64_t bits_offset() const { return offset_ + bytes_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] unsigned int handle_types() const { return handle_types_; }

  std::uint64_t handle = 0;  ///< what programs call it; 0 if they cannot
  bool tile_pool = false;    ///< it is for arrays alone (CU_MEM_CREATE_USAGE_TILE_POOL)
  bool has_values = true;    ///< all bytes count as written; else the file's bits say which

 private:
  PhysicalMemory() = default;
  int file_ = -1;
  int device_ = 0;
  std::uint64_t offset_ = 0, bytes_ = 0;
  unsigned int handle_types_ = 0;
  std::uint64_t* account_ = nullptr;
};

}  // namespace warpmark::cpu
