// The variables of a kernel that was compiled with -G, from its DWARF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "debug/value_type.hpp"
#include "warpmark/device.h"

namespace warpmark::debugging {

/// A variable, and where it is while a statement is executed.
struct Variable {
  enum class Place : uint8_t { gone, memory, registers, constant };
  std::string name;
  TypePointer type;
  bool argument = false;
  bool global = false;  ///< of the file, not of a function
  Place place = Place::gone;
  uint32_t space = WARPMARK_DEBUG_GENERIC;  ///< WARPMARK_DEBUG_…
  uint64_t address = 0;                     ///< in the space
  std::string register_name;                ///< "%r1"
  std::vector<std::byte> constant;          ///< the value of a constant, which has no place
};

/// Sections of DWARF by name, as the device's view gives them.
using Sections = std::vector<std::pair<std::string, std::string>>;
Sections read_sections(const warpmark_debug_view& view, const warpmark_debug_point& point);

class DebugInfo {
 public:
  virtual ~DebugInfo() = default;
  /// The variables that are seen from a statement, innermost first: of its blocks and function,
  /// then of the file.
  virtual std::vector<Variable> variables(uint32_t statement) const = 0;

  /// Null if the sections describe no variables, or this program cannot read them: `why` says so.
  static std::unique_ptr<DebugInfo> open(const Sections& sections, std::string& why);
};

}  // namespace warpmark::debugging
