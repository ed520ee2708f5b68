// Lines for code that a compiler made of several lines.
#pragma once

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Compilers that put equal code of two branches into one place give it line 0 (in LLVM's terms a
/// merged location). Such statements, marked Location::merged, get the line where their result is
/// used first, or, without a result, where what they use was made: usually one of the lines, or a
/// neighbour. Where neither is known they keep the line before them in the text.
void place_merged_code(const Module& module, Function& function);

}  // namespace warpmark::cpu
