// Parses PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/module.hpp"

namespace warpmark::cpu {

/// Limits of a text that may be hostile; what goes beyond them is refused with PtxError.
struct ParseLimits {
  std::size_t text_bytes = std::size_t{256} << 20;
  std::uint32_t nesting = 64;                             ///< of { } inside a function
  std::uint64_t variable_bytes = std::uint64_t{1} << 32;  ///< of one variable
  std::uint32_t parameter_bytes = 32764;                  ///< of one kernel (PTX ISA 8.1 and later)
};

/// Parses a whole module. Every syntax error, name that is declared twice or not at all, and limit
/// that is passed throws PtxError with the line.
Module parse_ptx(std::string text, const ParseLimits& limits = {});

/// Tells whether a tolerant reading reads the bodies of functions.
enum class Bodies : std::uint8_t { read, skipped };

/// Reads any bytes, as a grader has to: what the device refuses of names, types, sizes, targets and
/// versions is taken as it stands, and Module::trouble says what is not understood at all. Operands
/// are no more than the names in them, and no statement is added to those of the text. Throws
/// nothing but for want of memory, is linear, and ends at a text with very many troubles.
Module read_ptx(std::string_view text, Bodies bodies);

/// Returns whether there is a target with that number, 90 for sm_90.
bool is_architecture(std::uint32_t number);

}  // namespace warpmark::cpu
