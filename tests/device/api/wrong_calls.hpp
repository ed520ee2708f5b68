// Calls of the driver API that must fail, each on its own: what two drivers answer can be compared.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace warpmark::test {

/// A driver library, by the symbols that it exports.
class Driver {
 public:
  explicit Driver(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  [[nodiscard]] bool is_open() const { return library_ != nullptr; }

  template <typename Function>
  Function find(const char* name) const {
    void* symbol = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string(name) + " is not exported");
    return reinterpret_cast<Function>(symbol);
  }

 private:
  void* library_;
};

/// The objects that the calls work on, all of them valid.
struct Setting {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;  ///< (u64 address, u32 count); does nothing
  CUfunction bounded = nullptr;   ///< the same with .maxntid 64
  CUfunction fixed = nullptr;     ///< the same with .reqntid 32
  CUdeviceptr buffer = 0;         ///< of 1024 bytes
  CUstream stream = nullptr;
  CUevent event = nullptr;  ///< never recorded
  CUarray array = nullptr;  ///< 8 x 4 floats
};

struct WrongCall {
  const char* name;
  CUresult (*call)(const Driver&, Setting&);
  int stated;  ///< the CUresult that the driver API's reference states, or kOpen
};

/// The reference names several codes, or none. If it names none and an H200's driver 580 was seen
/// to answer, that answer is `stated`.
inline constexpr int kOpen = -1;

/// Makes the setting; throws if anything fails, which nothing may.
Setting make_setting(const Driver& driver);

/// One step in the life of a device's primary context.
struct Step {
  const char* name;
  int result, stated;
};
/// Must run in a process without contexts.
std::vector<Step> primary_context_steps(const Driver& driver);

/// Every call leaves the setting as it was.
const std::vector<WrongCall>& wrong_calls();

}  // namespace warpmark::test
