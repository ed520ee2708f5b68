// Symbols that are not implemented: each counts its calls and says CUDA_ERROR_NOT_SUPPORTED.
//
// No cuda.h here, since a stub ignores its arguments and so its signature: in the calling
// convention of x86-64 the caller cleans up.
#include <array>
#include <atomic>
#include <cstddef>

#include "api/symbols.hpp"

namespace {

enum Row : std::size_t {
#define DONE(symbol, base, version) row_##symbol,
#define DONE_PTSZ(symbol, base, version, variant) row_##symbol,
#define DONE_PTDS(symbol, base, version, variant) row_##symbol,
#define STUB(symbol, base, version) row_##symbol,
#define STUB_PTSZ(symbol, base, version, variant) row_##symbol,
#define STUB_PTDS(symbol, base, version, variant) row_##symbol,
#define HIDDEN(symbol, base, version, function) row_##symbol,
#include "api/symbols.def"
  row_count
};

std::array<std::atomic<std::uint64_t>, row_count> calls{};

constexpr int kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

int refuse(std::size_t row) {
  calls.at(row).fetch_add(1, std::memory_order_relaxed);
  return kNotSupported;
}

}  // namespace

// Weak, so that a definition elsewhere wins and a test can tell that a row is out of date.
#define WEAK extern "C" __attribute__((weak, visibility("default"))) int
#define STUB(symbol, base, version) \
  WEAK symbol();                    \
  WEAK symbol() {                   \
    return refuse(row_##symbol);    \
  }
#define STUB_PTSZ(symbol, base, version, variant) \
  STUB(symbol, base, version)                     \
  WEAK symbol##_ptsz();                           \
  WEAK symbol##_ptsz() {                          \
    return refuse(row_##symbol);                  \
  }
#define STUB_PTDS(symbol, base, version, variant) \
  STUB(symbol, base, version)                     \
  WEAK symbol##_ptds();                           \
  WEAK symbol##_ptds() {                          \
    return refuse(row_##symbol);                  \
  }
#define DONE(symbol, base, version) extern "C" void symbol();
#define DONE_PTSZ(symbol, base, version, variant) \
  extern "C" void symbol();                       \
  extern "C" void symbol##_ptsz();
#define DONE_PTDS(symbol, base, version, variant) \
  extern "C" void symbol();                       \
  extern "C" void symbol##_ptds();
#define HIDDEN(symbol, base, version, function) extern "C" void warpmark_##function();
#include "api/symbols.def"

namespace warpmark::cpu {
namespace {

using Pointer = void (*)();

const Symbol kSymbols[] = {
#define ROW(symbol, base, version, done) \
  {#symbol, #base, version, done, true, reinterpret_cast<Pointer>(symbol), nullptr, 0, nullptr},
#define VARIANT(symbol, base, version, done, suffix, newer) \
  {#symbol, #base, version,                                 \
   done,    true,  reinterpret_cast<Pointer>(symbol),       \
   #suffix, newer, reinterpret_cast<Pointer>(symbol##suffix)},
#define DONE(symbol, base, version) ROW(symbol, base, version, true)
#define STUB(symbol, base, version) ROW(symbol, base, version, false)
#define DONE_PTSZ(symbol, base, version, newer) VARIANT(symbol, base, version, true, _ptsz, newer)
#define STUB_PTSZ(symbol, base, version, newer) VARIANT(symbol, base, version, false, _ptsz, newer)
#define DONE_PTDS(symbol, base, version, newer) VARIANT(symbol, base, version, true, _ptds, newer)
#define STUB_PTDS(symbol, base, version, newer) VARIANT(symbol, base, version, false, _ptds, newer)
#define HIDDEN(symbol, base, version, function) \
  {#symbol, #base, version, true, false, warpmark_##function, nullptr, 0, nullptr},
#include "api/symbols.def"
};

}  // namespace

std::span<const Symbol> symbols() {
  return kSymbols;
}

std::uint64_t stub_calls(std::size_t index) {
  return calls.at(index).load(std::memory_order_relaxed);
}

}  // namespace warpmark::cpu
