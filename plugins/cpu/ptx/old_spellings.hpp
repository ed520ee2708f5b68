// Instructions of old PTX texts as later versions spell them.
#pragma once

#include <cstddef>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// The opcode with the modifiers that a text of its .version and .target leaves out and has all the
/// same: .approx before .version 1.4, and of .target sm_1x the rounding of mad.f32, and .ftz. The
/// opcode itself if there are none. The result lives as long as the module.
std::string_view later_spelling(Module& module, std::string_view opcode, std::size_t operands);

}  // namespace warpmark::cpu
