// The bytes of the debug sections of a PTX text, which has them as numbers: `.b8 1,2`, `.b64 label`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpmark::cpu {

/// A section's bytes, in the order of the machine. They are zero where the address of a label goes.
struct DebugSection {
  /// The address of a label goes here: of code, of a variable, of a section or of a place in one.
  struct Reference {
    std::string_view label;
    std::uint64_t addend = 0;
    std::size_t bytes = 8;
  };
  std::string_view name;           ///< ".debug_info"
  std::size_t begin = 0, end = 0;  ///< where the section is in the text
  std::string bytes;
  std::unordered_map<std::size_t, Reference> references;  ///< by where the address goes
  std::unordered_map<std::string_view, std::size_t>
      labels;  ///< the section's own, and their places
};

/// The inside of a section, up to a closing brace or the end; at most `most` bytes and a number
/// more. What is no number is zero.
DebugSection section_bytes(std::string_view inside, std::size_t most = std::string_view::npos);

/// All sections of a text whose names begin with ".debug_".
std::vector<DebugSection> debug_sections(std::string_view text);

}  // namespace warpmark::cpu
