// Functions of the runtime that go on to one of the driver with the same arguments.
#pragma once

#include <bit>
#include <tuple>
#include <type_traits>

#include "copy.hpp"
#include "registry.hpp"
#include "runtime.hpp"

namespace warpmark::cudart {

template <typename T>
concept Sized = requires {
  sizeof(T);
};

/// An argument of the runtime as the driver takes it: a kernel by its function, a device by its
/// primary context, an address by its number, what has the same layout as it is, numbers and
/// enumerations by their value. Sets `result` if there is no such kernel or device.
template <typename To, typename From>
To for_driver(From from, cudaError_t& result) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, CUfunction>) {
    CUfunction function = nullptr;
    if (result == cudaSuccess) result = find_function(from, function);
    return function;
  } else if constexpr (std::is_same_v<To, CUcontext>) {
    CUcontext context = nullptr;
    if (result == cudaSuccess) result = primary_context(from, context);
    return context;
  } else if constexpr (std::is_pointer_v<From> && std::is_same_v<To, CUdeviceptr>) {
    return address_of(from);
  } else if constexpr (std::is_pointer_v<From>) {
    using Ours = std::remove_pointer_t<From>;
    using Theirs = std::remove_pointer_t<To>;
    if constexpr (Sized<Ours> && Sized<Theirs>)
      static_assert(std::is_function_v<Ours> || sizeof(Ours) == sizeof(Theirs));
    return reinterpret_cast<To>(from);
  } else if constexpr (std::is_class_v<To>) {
    return std::bit_cast<To>(from);
  } else {
    static_assert(sizeof(From) <= sizeof(To));
    return static_cast<To>(from);
  }
}

template <auto function, typename Type>
struct Forward;

template <typename... Taken, CUresult (*Driver::*function)(Taken...), typename... Given>
struct Forward<function, cudaError_t(Given...)> {
  static cudaError_t call(Given... given) {
    cudaError_t result = cudaSuccess;
    const std::tuple<Taken...> taken{for_driver<Taken>(given, result)...};
    return result != cudaSuccess ? result : error_of(std::apply(driver().*function, taken));
  }
};

/// A copy or a fill by `body`, to which a stream is a When.
template <auto body, typename Type>
struct Copy;

template <auto body, typename... Given>
struct Copy<body, cudaError_t(Given...)> {
  static cudaError_t call(Given... given) {
    if constexpr (std::is_invocable_v<decltype(body), Given...>)
      return body(given...);
    else
      return body(given..., When());
  }
};

}  // namespace warpmark::cudart
