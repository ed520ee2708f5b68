// Mistakes of the program's own calls: wrong frees, copies, fills and launches that are refused,
// and memory that is never freed; refused PTX.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/state.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {

/// Reports that `call` was asked to free an address that is not a live allocation's. Does nothing
/// if the context makes no checks.
void report_wrong_free(Context& context, const char* call, std::uint64_t address);

/// The range of device memory that the call running on this thread asked for and was refused.
struct RefusedRange {
  const Arena* arena = nullptr;  ///< null: nothing was refused
  std::uint64_t address = 0, bytes = 0;
  bool write = false;
};
RefusedRange& refused_range();

/// Reports a copy, a fill or a launch that was refused for what the program asks of it. Memory that
/// is full and a context that has failed are not reported. Returns `result`.
CUresult report_refusal(Context& context, const char* call, CUresult result);
/// Reports any call that is refused, with the reason that fail() was given. Returns `result`.
CUresult report_reason(Context& context, const char* call, CUresult result);
/// with_context for these calls; `call` is the symbol's name.
template <typename Body>
CUresult with_reports(const char* call, Waits waits, Body body) {
  return with_context(call, waits, [&](Context& context) -> CUresult {
    return report_refusal(context, call, body(context));
  });
}

/// A copy of a batch, and its access at a place.
struct BatchAccess {
  std::size_t copy = 0;
  bool write = false;
};
/// The answer to a call that asks for more memory than there is. Reports it as a warning where
/// reports are printed, once: a program may ask for less then.
CUresult out_of_memory(const Context& context, const char* call, std::uint64_t bytes);
/// `left` bytes are free.
CUresult out_of_memory(const char* call, std::uint64_t bytes, std::uint64_t left);
/// Reports that two copies of a batch, which nothing orders, meet at an address.
void report_batch_race(Context& context, const char* call, BatchAccess one, BatchAccess other,
                       std::uint64_t address);
/// Reports, as a warning, that a copy writes bytes which it reads: their order is its own.
void report_overlap(Context& context, const char* call, std::uint64_t address);

/// The answer to a call whose PTX is refused. Reports PTX that only this device does not support.
CUresult refuse_ptx(const PtxError& error);
/// Reports an image or a text that `call` refuses where reports are printed, each once. Returns
/// `result`. Reports nothing if `result` is none of the errors of images.
CUresult report_refused_image(const char* call, CUresult result);
/// Reports the tables that NVIDIA's runtime library asks for and that this driver does not have.
/// `caller` is an address in that library, or in the program or library that it is linked into.
void report_missing_tables(const void* caller);

/// Reports each allocation that is left in a context that is destroyed, if it looks for leaks.
void report_leaks(const Context& context);

/// Reports at the process's end: leaks of the contexts that are left, and the summary.
void report_end();

}  // namespace warpmark::cpu
