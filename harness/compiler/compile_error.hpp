// Turns NVRTC's refusal of a unit into an error with a place and a hint.
#pragma once

#include <optional>
#include <string>

#include "compiler/compile_unit.hpp"

namespace warpmark {

/// NVRTC's error about a template instance that it cannot make.
struct BadInstance {
  std::string expression, reason;
};

/// The bad instance in a log; nothing if the source itself is at fault.
std::optional<BadInstance> bad_instance(const std::string& log);

/// Throws a RefusedError for a source that does not compile, a verdict error for options and
/// instances, and an environment error for anything else.
[[noreturn]] void throw_compile_error(nvrtcResult result, const std::string& log,
                                      const CompileUnit& unit, const Nvrtc& nvrtc);

}  // namespace warpmark
