// The calls that the compiler inlined, as debug sections describe them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark::cpu {

/// Code between two labels that stands in the place of a call.
struct InlinedRange {
  std::string_view begin, end;       ///< labels
  std::string function;              ///< as the linker has it, or else as in the source
  std::uint32_t file = 0, line = 0;  ///< of the call
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t parent = kNone;  ///< an earlier one, which this one lies in
};

/// Those of a .debug_info section (DWARF 2 to 4, as NVRTC writes it with -G) and the .debug_abbrev
/// section of the same text, each as PTX has it: `.b8 1,2`, `.b64 label`. An outer call comes
/// before those inside it. Of what is not as it should be nothing is said.
std::vector<InlinedRange> inlined_ranges(std::string_view information,
                                         std::string_view abbreviations);

/// The text behind `label:` in a section, up to its zero; "" if there is none.
std::string text_behind(std::string_view section, std::string_view label);

}  // namespace warpmark::cpu
