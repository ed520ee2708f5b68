// libcuda.so, what programs are linked with: its name in a program is libcuda.so.1, as that of the
// toolkit's stub library, so that the program starts with whatever driver there is.
//
// Nothing here is called. Where a program opens libcuda.so itself, the dynamic linker finds the CPU
// device before this file (it is that one's auxiliary filter).

namespace {
constexpr int kStubLibrary = 34;  // CUDA_ERROR_STUB_LIBRARY
}

#define EXPORTED extern "C" __attribute__((visibility("default"))) int
#define STUB(symbol, base, version) \
  EXPORTED symbol();                \
  EXPORTED symbol() {               \
    return kStubLibrary;            \
  }
#define STUB_PTSZ(symbol, base, version, variant) \
  STUB(symbol, base, version)                     \
  STUB(symbol##_ptsz, base, version)
#define STUB_PTDS(symbol, base, version, variant) \
  STUB(symbol, base, version)                     \
  STUB(symbol##_ptds, base, version)
#define DONE(symbol, base, version) STUB(symbol, base, version)
#define DONE_PTSZ(symbol, base, version, variant) STUB_PTSZ(symbol, base, version, variant)
#define DONE_PTDS(symbol, base, version, variant) STUB_PTDS(symbol, base, version, variant)
#define HIDDEN(symbol, base, version, function)

#include "api/symbols.def"
