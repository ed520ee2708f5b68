// The symbols that end in _ptsz and _ptds: a null stream means the calling thread's own.
//
// Each is a jump to a function that the compiler makes from the signature in cuda.h, so that no
// list of parameters is written twice.

#include "api/batch_types.hpp"
#include "api/cuda_api.hpp"

namespace {

CUstream per_thread(CUstream stream) {
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}
const CUlaunchConfig* per_thread(const CUlaunchConfig* config) {
  if (config == nullptr || config->hStream != nullptr) return config;
  thread_local CUlaunchConfig copy;
  copy = *config;
  copy.hStream = CU_STREAM_PER_THREAD;
  return &copy;
}
template <typename T>
T per_thread(T value) {
  return value;
}

template <auto Function>
struct Variant;
template <typename... Arguments, CUresult (*Function)(Arguments...)>
struct Variant<Function> {
  static CUresult call(Arguments... arguments) { return Function(per_thread(arguments)...); }
};

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): names of symbols
// x86-64: the arguments are where the target wants them, in registers and above the return address.
#define JUMP(symbol, suffix)                                                                      \
  extern "C" {                                                                                    \
  using symbol##suffix##_type = decltype(&Variant<&symbol>::call);                                \
  extern __attribute__((visibility("hidden")))                                                    \
  const symbol##suffix##_type warpmark_##symbol##suffix;                                          \
  const symbol##suffix##_type warpmark_##symbol##suffix = Variant<&symbol>::call;                 \
  }                                                                                               \
  asm(".text\n.globl " #symbol #suffix "\n.type " #symbol #suffix ", @function\n" #symbol #suffix \
      ":\n.cfi_startproc\nendbr64\njmp *warpmark_" #symbol #suffix                                \
      "(%rip)\n.cfi_endproc\n.size " #symbol #suffix ", . - " #symbol #suffix "\n");
#define DONE(symbol, base, version)
#define STUB(symbol, base, version)
#define STUB_PTSZ(symbol, base, version, newer)
#define STUB_PTDS(symbol, base, version, newer)
#define HIDDEN(symbol, base, version, function)
#define DONE_PTSZ(symbol, base, version, newer) JUMP(symbol, _ptsz)
#define DONE_PTDS(symbol, base, version, newer) JUMP(symbol, _ptds)
#include "api/symbols.def"
// NOLINTEND(bugprone-macro-parentheses)
