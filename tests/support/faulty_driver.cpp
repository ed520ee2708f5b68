// The CPU device as a driver library whose calls fail when the environment says so, and that keeps
// books on its caller: `--device faulty`. Every function of functions.def is made from that list.
//
// WARPMARK_FAULTY and WARPMARK_FAULTY_LOG are as fault_plan.hpp says; WARPMARK_FAULTY_EXTENSION
// spoils warpmark_device_v1: version, size, no_functions, garbage, configure or label.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "support/fault_books.hpp"
#include "support/fault_plan.hpp"
#include "warpmark/device.h"

#define WARPMARK_FAULTY_EXPORT __attribute__((visibility("default")))

namespace warpmark::faults {
namespace {

// Never destroyed: a call that hangs may still read it when the process ends.
FaultPlan& plan() {
  static FaultPlan* const one = new FaultPlan("WARPMARK_FAULTY");
  return *one;
}

Books& books() {
  static Books one(plan());
  return one;
}

void* real(const char* symbol) {
  static void* const library = [] {
    void* opened = dlopen(WARPMARK_CPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) give_up(dlerror());
    return opened;
  }();
  return dlsym(library, symbol);
}

template <typename... P>
CUresult call_real(const char* symbol, P... p) {
  auto* const function = reinterpret_cast<CUresult (*)(P...)>(real(symbol));
  return function != nullptr ? function(p...) : CUDA_ERROR_NOT_SUPPORTED;
}

// NVIDIA names calls by what they do.
bool has(std::string_view symbol, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (symbol.find(word) != std::string_view::npos) return true;
  }
  return false;
}
bool creates(std::string_view symbol) {
  return has(symbol, {"Create", "Alloc", "ModuleLoad", "Instantiate", "EndCapture"}) ||
         symbol == "cuModuleGetFunction";
}
bool releases(std::string_view symbol) {
  return has(symbol, {"Destroy", "Free", "Unload"});
}
// Calls that work whatever happened before, and need no context.
bool is_free_standing(std::string_view symbol) {
  return has(symbol, {"cuInit", "cuDriver", "cuGetError", "cuDevice", "cuCtxCreate", "cuCtxDestroy",
                      "cuCtxPush", "cuCtxPop", "cuCtxGetCurrent"});
}
// Calls that are made even if they are to fail: running work must not outlive its memory, and what
// is released stays released.
bool is_done_anyway(std::string_view symbol) {
  return releases(symbol) || has(symbol, {"Synchronize", "cuCtxPop", "Unregister"});
}

template <typename T>
constexpr const char* kKind = nullptr;
template <>
constexpr const char* kKind<CUcontext> = "context";
template <>
constexpr const char* kKind<CUmodule> = "module";
template <>
constexpr const char* kKind<CUfunction> = "function";
template <>
constexpr const char* kKind<CUstream> = "stream";
template <>
constexpr const char* kKind<CUevent> = "event";
template <>
constexpr const char* kKind<CUgraph> = "graph";
template <>
constexpr const char* kKind<CUgraphExec> = "executable graph";
template <>
constexpr const char* kKind<CUdeviceptr> = "memory";

template <typename T>
uint64_t number(T handle) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<uintptr_t>(handle);
  } else {
    return static_cast<uint64_t>(handle);
  }
}

uint64_t current_context() {
  CUcontext context = nullptr;
  call_real<CUcontext*>("cuCtxGetCurrent", &context);
  return number(context);
}

// A sticky error lasts as long as the context that has it.
struct Sticky {
  CUresult result = CUDA_SUCCESS;
  uint64_t context = 0;
};
thread_local Sticky sticky;

template <typename T>
void check_use(const char* symbol, T argument) {
  if constexpr (kKind<T> != nullptr) {
    const bool is_number = std::is_same_v<T, CUdeviceptr> && !has(symbol, {"cuMem", "cuStream"});
    if (argument != T{} && !is_number) {
      books().used(symbol, kKind<T>, number(argument), current_context());
    }
  }
}

template <typename T>
void note_creation(const char* symbol, T out, uint64_t owner, uint64_t bytes) {
  if constexpr (std::is_pointer_v<T>) {
    using Handle = std::remove_pointer_t<T>;
    if constexpr (kKind<Handle> != nullptr) {
      const bool memory = std::is_same_v<Handle, CUdeviceptr>;
      if (creates(symbol) && memory == has(symbol, {"Alloc"})) {
        books().created(kKind<Handle>, number(*out), owner, memory ? bytes : 0);
      }
    }
  }
}

template <typename T>
void note_release(const char* symbol, T argument) {
  if constexpr (kKind<T> != nullptr) books().released(symbol, kKind<T>, number(argument));
}

// Puts a lie into the first number that the call gives out.
template <typename T>
bool lie(T out, int64_t value) {
  if constexpr (std::is_same_v<T, int*> || std::is_same_v<T, size_t*>) {
    *out = static_cast<std::remove_pointer_t<T>>(value);
    return true;
  }
  return false;
}

template <typename First, typename... Rest>
uint64_t module_or(uint64_t context, First, Rest... rest) {
  if constexpr (sizeof...(rest) > 0) {
    if constexpr (std::is_same_v<First, CUfunction*>) {
      return number(std::get<0>(std::tuple(rest...)));
    }
  }
  return context;
}
uint64_t module_or(uint64_t context) {
  return context;
}

template <typename... P>
uint64_t last_size(P... p) {
  uint64_t bytes = 0;
  const auto keep = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), size_t>) bytes = argument;
  };
  (keep(p), ...);
  return bytes;
}

template <typename... P>
CUresult act(const char* symbol, P... p) {
  const Fault fault = plan().next(symbol);
  Books& books = faults::books();
  const uint64_t context = current_context();
  if (!is_free_standing(symbol) && context == 0) {
    books.misuse(std::string(symbol) + " without a current context");
  }
  if (releases(symbol)) {
    (note_release(symbol, p), ...);
  } else {
    (check_use(symbol, p), ...);
  }
  const bool has_sticky = sticky.result != CUDA_SUCCESS && !is_free_standing(symbol);
  if (has_sticky && !releases(symbol) && !has(symbol, {"MemGetInfo", "Unregister"})) {
    books.misuse(std::string(symbol) + " after a sticky error");
  }
  CUresult result = has_sticky ? sticky.result : CUDA_SUCCESS;
  if (fault.result) result = static_cast<CUresult>(*fault.result);
  if (fault.result && fault.sticky) sticky = {result, context};
  if ((result != CUDA_SUCCESS || fault.silent) && !is_done_anyway(symbol)) return result;

  const CUresult done = call_real<P...>(symbol, p...);
  if (done == CUDA_SUCCESS) {
    // Everything that belongs to a context dies with it.
    [[maybe_unused]] const uint64_t owner =
        has(symbol, {"cuCtxCreate"}) ? 0 : module_or(context, p...);
    (note_creation(symbol, p, owner, last_size(p...)), ...);
    if (fault.value) static_cast<void>((lie(p, *fault.value) || ...));
  }
  if (has(symbol, {"cuCtxDestroy"})) sticky = {};
  return result != CUDA_SUCCESS ? result : done;
}

struct Extension {
  const warpmark_device* real = nullptr;
  warpmark_device given{};
};

void send_garbage(warpmark_device_context context, warpmark_device_sink sink, void* user);

const Extension& extension() {
  static const Extension one = [] {
    Extension made;
    made.real = reinterpret_cast<warpmark_device_function>(real(WARPMARK_DEVICE_SYMBOL))();
    made.given = *made.real;
    const char* text = std::getenv("WARPMARK_FAULTY_EXTENSION");
    const std::string_view what = text != nullptr ? text : "";
    const auto refuse = [](warpmark_device_context, const char*) { return 1; };
    const auto refuse_label = [](warpmark_device_context, uint64_t, uint64_t, const char*,
                                 const char*) { return 1; };
    if (what == "version") {
      made.given.version = 99;
    } else if (what == "size") {
      made.given.size = 8;
    } else if (what == "no_functions") {
      made.given.configure = nullptr;
      made.given.label = nullptr;
      made.given.drain_reports = nullptr;
      made.given.drain_counters = nullptr;
      made.given.last_error = nullptr;
    } else if (what == "garbage") {
      made.given.drain_reports = &send_garbage;
    } else if (what == "configure") {
      made.given.configure = refuse;
    } else if (what == "label") {
      made.given.label = refuse_label;
    } else if (!what.empty()) {
      give_up("there is no extension " + std::string(what));
    }
    return made;
  }();
  return one;
}

// Lines that are no JSON, no object, or an object with the wrong types; then the real ones.
void send_garbage(warpmark_device_context context, warpmark_device_sink sink, void* user) {
  static constexpr std::string_view kLines[] = {
      "",
      "{",
      "null",
      "[1, 2]",
      "\"text\"",
      "\xff\xfe",
      R"({"kind": 7, "message": ["x"], "file": {}, "line": "three", "argument": null})",
      R"({"kind": "illegal_address", "file": "../../k.cu", "line": 18446744073709551615})",
      R"({"kind": "illegal_address", "message": "\u001b[2J\u0000<failure/>]]>", "line": -1})",
      "{\"kind\": \"\xc3\x28\", \"message\": \"\xc3\x28\"}"};
  for (const std::string_view line : kLines) sink(user, line.data(), line.size());
  const std::string deep(100000, '[');
  sink(user, deep.data(), deep.size());
  extension().real->drain_reports(context, sink, user);
}

}  // namespace

// Calls go through resolvers, because a macro cannot name the parameters that it is to pass on.
#define DRIVER_FUNCTION(member, symbol, presence, needed_for, ...)                        \
  namespace {                                                                             \
  struct Symbol_##member {                                                                \
    template <typename... P>                                                              \
    static CUresult call(P... p) {                                                        \
      return act<P...>(symbol, p...);                                                     \
    }                                                                                     \
  };                                                                                      \
  }                                                                                       \
  extern "C" CUresult (*faulty_resolve_##member())(__VA_ARGS__) {                         \
    return &Symbol_##member::call;                                                        \
  }                                                                                       \
  extern "C" WARPMARK_FAULTY_EXPORT CUresult faulty_##member(__VA_ARGS__) __asm__(symbol) \
      __attribute__((ifunc("faulty_resolve_" #member)));
#include "driver/functions.def"
#undef DRIVER_FUNCTION

extern "C" WARPMARK_FAULTY_EXPORT const warpmark_device* faulty_extension() __asm__(
    WARPMARK_DEVICE_SYMBOL);
extern "C" const warpmark_device* faulty_extension() {
  return &extension().given;
}

}  // namespace warpmark::faults
