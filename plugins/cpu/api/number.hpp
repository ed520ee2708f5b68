// The numbers that clients write where the driver's interface has enumerations.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmark::cpu {

/// What a client wrote into an enumeration, which may be none of its values: to read that as the
/// enumeration would be undefined. Parameters that a lambda captures count, too.
template <typename Enumeration>
[[nodiscard]] unsigned int number_in(const Enumeration& value) {
  unsigned int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

/// Hands such a number on to another field of the same type.
template <typename Enumeration>
void copy_number(Enumeration& to, const Enumeration& from) {
  std::memcpy(&to, &from, sizeof to);
}

/// An address of the host as the driver's interface has those of the device.
[[nodiscard]] inline std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace warpmark::cpu
