// The table of driver functions: typed pointers by name, filled from a library or by a test.
#pragma once

#include <cuda.h>

#include <functional>
#include <string>

namespace warpmark {

/// One function of the driver API.
template <typename... Parameters>
struct DriverFunction {
  const char* symbol;  ///< as exported, with its version: "cuMemAlloc_v2"
  const char* needed_for;
  CUresult (*pointer)(Parameters...) = nullptr;

  explicit operator bool() const { return pointer != nullptr; }
};

/// A member for each line of functions.def; an optional function that the library lacks is null.
struct DriverTable {
#define DRIVER_FUNCTION(member, symbol, presence, needed_for, ...) \
  DriverFunction<__VA_ARGS__> member{symbol, needed_for};
#include "driver/functions.def"
#undef DRIVER_FUNCTION
};

/// The name without its version, as the documentation lists it: "cuMemAlloc" of "cuMemAlloc_v2".
std::string documented_name(const char* symbol);

/// Fills a table from `lookup`, which gives the address of an exported symbol or null.
/// Throws an environment error naming `library` and every required symbol that is missing.
DriverTable load_driver_table(const std::function<void*(const char*)>& lookup,
                              const std::string& library);

}  // namespace warpmark
