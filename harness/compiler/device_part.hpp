// The part of an ordinary .cu file, and of its project's headers, that NVRTC can compile: without
// the code for the CPU.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warpmark {

/// A source or header.
struct DeviceText {
  std::string text;
  std::string name;  ///< for people; "" for the source itself
};

/// The needs that the parts serve.
struct DeviceNeeds {
  /// Names besides those of kernels that are wanted, as in `scale<float, N>` or `&table`.
  std::vector<std::string> wanted;
  /// True for functions without an execution space that are device functions (-default-device).
  bool default_device = false;
  /// True if no compiler finds a header, or device code cannot use it.
  std::function<bool(const std::string& name, bool angled)> lacks_header;
};

/// Sources without their code for the CPU. Lines keep their numbers.
struct DevicePart {
  std::vector<std::string> texts;  ///< in the order given
  std::vector<std::string>
      left_out;  ///< for people: "#include <iostream>", "main() in lines 9 to 20"
  std::map<std::string, std::string> names;  ///< of functions, types and variables among it, with
                                             ///< their places: "line 9 of x.h"
  std::vector<std::string> headers;          ///< names of headers that are not included any more
  bool has_kernel = false;
  bool is_changed = false;  ///< a text is another than the one given
};

/// Keeps what kernels reach by name, in all of the texts together: functions with an execution
/// space, types, constants, macros. Leaves out the includes that `lacks_header` names; functions
/// without an execution space, in classes as well, but those that are `constexpr`, which become
/// functions of both sides; and variables, types, explicit instantiations, assertions and uses of
/// macros that only these need. No kernel can use these, so that its meaning stays. Macros are not
/// expanded, but an execution space in one counts, and a macro that makes kernels loses its functions
/// for the CPU. Conditions stay, with all other directives, and so does what no compiler would read
/// as a declaration.
DevicePart device_part(const std::vector<DeviceText>& texts, const DeviceNeeds& needs);

}  // namespace warpmark
