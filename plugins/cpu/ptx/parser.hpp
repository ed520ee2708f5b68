// Parses PTX text.
#pragma once

#include <cstdint>
#include <string>

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

/// Returns whether there is a target with that number, 90 for sm_90.
bool is_architecture(std::uint32_t number);

}  // namespace warpmark::cpu
