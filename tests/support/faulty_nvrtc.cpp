// NVRTC as a library whose calls fail when the environment says so, for WARPMARK_NVRTC: made from
// nvrtc_functions.def. WARPMARK_FAULTY_NVRTC and its _LOG are as fault_plan.hpp says;
// WARPMARK_FAULTY_NVRTC_LIBRARY is the real one.
#include <dlfcn.h>
#include <glob.h>
#include <nvrtc.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/fault_books.hpp"
#include "support/fault_plan.hpp"

namespace warpmark::faults {
namespace {

// Never destroyed: a call that hangs may still read it when the process ends.
FaultPlan& plan() {
  static FaultPlan* const one = new FaultPlan("WARPMARK_FAULTY_NVRTC");
  return *one;
}

Books& books() {
  static Books one(plan());
  return one;
}

void* open_or_give_up(const char* path) {
  void* opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) give_up(dlerror());
  return opened;
}

void* real(const char* symbol) {
  static void* const library = [] {
    const char* path = std::getenv("WARPMARK_FAULTY_NVRTC_LIBRARY");
    if (path == nullptr) give_up("WARPMARK_FAULTY_NVRTC_LIBRARY is not set");
    const std::string folder(path, std::string_view(path).rfind('/') + 1);
    glob_t builtins{};
    // Open before NVRTC looks for them by name alone.
    if (::glob((folder + "libnvrtc-builtins.so.*").c_str(), 0, nullptr, &builtins) == 0) {
      for (size_t i = 0; i < builtins.gl_pathc; ++i) open_or_give_up(builtins.gl_pathv[i]);
    }
    ::globfree(&builtins);
    return open_or_give_up(path);
  }();
  return dlsym(library, symbol);
}

uint64_t number(nvrtcProgram program) {
  return reinterpret_cast<uintptr_t>(program);
}

template <typename T>
bool lie(T out, int64_t value) {
  if constexpr (std::is_same_v<T, int*> || std::is_same_v<T, size_t*>) {
    *out = static_cast<std::remove_pointer_t<T>>(value);
    return true;
  }
  return false;
}

template <typename R, typename... P>
R act(const char* symbol, P... p) {
  const Fault fault = plan().next(symbol);
  Books& books = faults::books();
  const bool creates = std::string_view(symbol) == "nvrtcCreateProgram";
  const bool releases = std::string_view(symbol) == "nvrtcDestroyProgram";
  const auto for_programs = [&](auto argument) {
    using T = decltype(argument);
    if constexpr (std::is_same_v<T, nvrtcProgram>) {
      books.used(symbol, "program", number(argument), 0);
    } else if constexpr (std::is_same_v<T, nvrtcProgram*>) {
      if (releases) books.released(symbol, "program", number(*argument));
    }
  };
  (for_programs(p), ...);
  // A release is done in any case; a failing text is none.
  if (fault.silent && !releases) return R{};
  if (fault.result && !releases) {
    if constexpr (std::is_same_v<R, nvrtcResult>) return static_cast<nvrtcResult>(*fault.result);
    return R{};
  }
  const R done = reinterpret_cast<R (*)(P...)>(real(symbol))(p...);
  const auto note_creation = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), nvrtcProgram*>) {
      if (creates && *argument != nullptr) books.created("program", number(*argument), 0);
    }
  };
  (note_creation(p), ...);
  if (fault.value) static_cast<void>((lie(p, *fault.value) || ...));
  if constexpr (std::is_same_v<R, nvrtcResult>) {
    if (fault.result) return static_cast<nvrtcResult>(*fault.result);
  }
  return done;
}

}  // namespace

#define NVRTC_FUNCTION(name)                                                                      \
  namespace {                                                                                     \
  struct Symbol_##name {                                                                          \
    template <typename R, typename... P>                                                          \
    static R call(P... p) {                                                                       \
      return act<R, P...>(#name, p...);                                                           \
    }                                                                                             \
    template <typename R, typename... P>                                                          \
    static auto resolve(R (*)(P...)) {                                                            \
      return &call<R, P...>;                                                                      \
    }                                                                                             \
  };                                                                                              \
  }                                                                                               \
  extern "C" decltype(&::name) faulty_resolve_##name() {                                          \
    return Symbol_##name::resolve(static_cast<decltype(&::name)>(nullptr));                       \
  }                                                                                               \
  extern "C" __attribute__((visibility("default"))) decltype(::name) faulty_##name __asm__(#name) \
      __attribute__((ifunc("faulty_resolve_" #name)));
#include "compiler/nvrtc_functions.def"
#undef NVRTC_FUNCTION

}  // namespace warpmark::faults
