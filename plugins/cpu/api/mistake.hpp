// Mistakes of the program's own calls: wrong frees, and memory that is never freed; refused PTX.
#pragma once

#include <cstdint>

#include "api/state.hpp"
#include "ptx/error.hpp"

namespace warpmark::cpu {

/// `call` was asked to free an address that is none of a live allocation. Nothing if the context
/// looks for nothing.
void report_wrong_free(Context& context, const char* call, std::uint64_t address);

/// The answer to a call whose PTX is refused. What this device does not implement, which the
/// program may be right to ask for, is told of where reports are printed.
CUresult refuse_ptx(const PtxError& error);

/// Tells of each allocation that is left in a context which goes, if it looks for leaks.
void report_leaks(const Context& context);

/// What is to be told when the process ends: leaks of the contexts that are left, and the summary.
void report_end();

}  // namespace warpmark::cpu
