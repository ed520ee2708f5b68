// The debug sections of a program's text with all addresses in them, as a reader of DWARF wants them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

struct DebugImage {
  struct Section {
    std::string name;  ///< ".debug_info"
    std::string bytes;
  };
  /// Code that the program does not have is here.
  static constexpr std::uint64_t kNowhere = 0xfffffff0;
  std::vector<Section> sections;
};

/// The address of code is the number of a statement (Program::statement), that of a variable its
/// offset in its space, in the function's frame if it is local. `variable` gives the device address
/// of a .global or .const variable, 0 if there is none. Of a linked text only the first part has
/// sections. Without -G there are none, or such as say little.
DebugImage debug_image(const Program& program,
                       const std::function<std::uint64_t(std::string_view)>& variable);

}  // namespace warpmark::cpu
