// The numbers that clients write where the driver's interface has enumerations.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmark::cpu {

/// The number that a client wrote into an enumeration. It may be none of the enumeration's values,
/// so that reading it as the enumeration would be undefined behaviour. Parameters that a lambda
/// captures count, too.
template <typename Enumeration>
[[nodiscard]] unsigned int number_in(const Enumeration& value) {
  unsigned int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

/// Copies such a number to another field of the same type.
template <typename Enumeration>
void copy_number(Enumeration& to, const Enumeration& from) {
  std::memcpy(&to, &from, sizeof to);
}

/// Returns a host address as a number, the form that device addresses have in the driver's
/// interface.
[[nodiscard]] inline std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace warpmark::cpu
