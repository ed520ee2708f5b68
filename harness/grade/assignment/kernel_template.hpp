// Texts made of a kernel's source: what students start from, and wrong solutions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suite/suite.hpp"

namespace warpmark {

/// The names of the kernels in the suite's own file, as written: its `entry`, and those of steps
/// that name no other file. Each once, in the order of launches.
std::vector<std::string> own_entries(const Suite& suite);

/// The kernel `entry` of `source` ("ns::scale<float>" is the function scale in ns) without its
/// body, in which `todo` stands instead, and the directives before it. Comments and all other
/// functions are left out: they may be the solution. Nothing if the kernel is not found, as far as
/// reading words can tell.
std::optional<std::string> kernel_template(std::string_view source, std::string_view entry,
                                           std::string_view todo);

/// The same for all kernels that a suite launches from its own file, in their order; the first says
/// what the suite is about. Nothing if one of them is not found, whose name `missing` gets.
std::optional<std::string> kernels_template(std::string_view source, const Suite& suite,
                                            std::string* missing = nullptr);

/// The source with a line put in at the beginning of the kernel's body.
std::optional<std::string> with_first_line(std::string_view source, std::string_view entry,
                                           std::string_view line);

}  // namespace warpmark
