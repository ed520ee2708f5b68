// The parameters of a launch besides the kernel: its geometry and its arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace warpmark {

struct LaunchConfig {
  std::array<uint64_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<uint64_t, 3> block{1, 1, 1};  ///< threads
  uint64_t shared = 0;                     ///< bytes of dynamic shared memory
  std::array<uint64_t, 3> cluster{};       ///< blocks; 0 for the kernel's own value
  bool cooperative = false;                ///< all blocks run at a time

  /// "grid 4x1x1, block 128x1x1".
  std::string text() const;
};

/// The place of one parameter in a kernel's parameter buffer, in bytes.
struct ParameterLayout {
  size_t offset = 0;
  size_t bytes = 0;
  friend bool operator==(const ParameterLayout&, const ParameterLayout&) = default;
};

/// The arguments of a launch, by value, in the order of the kernel's parameters.
class KernelArguments {
 public:
  void add_bytes(const void* value, size_t bytes);
  template <typename T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "kernel arguments are copied as bytes");
    add_bytes(&value, sizeof(T));
  }

  size_t count() const { return arguments_.size(); }
  size_t bytes(size_t index) const { return arguments_.at(index).bytes; }

  /// Throws a verdict error naming the kernel, the parameter and both sizes, or both counts.
  void check(const std::vector<ParameterLayout>& parameters, const std::string& kernel) const;
  /// Addresses of the values, as cuLaunchKernel takes them; valid until the next add.
  std::vector<void*> addresses();

 private:
  struct Slot {
    size_t offset;  ///< in values_, counted in units
    size_t bytes;
  };
  // Units of the strictest alignment that a parameter can have, so that every value is aligned.
  struct alignas(16) Unit {
    std::array<std::byte, 16> bytes;
  };

  std::vector<Unit> values_;
  std::vector<Slot> arguments_;
};

}  // namespace warpmark
