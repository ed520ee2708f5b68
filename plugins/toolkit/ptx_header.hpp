// The first directives of a PTX text that stands for a cubin: .version and .target.
#pragma once

#include <string>
#include <string_view>

namespace warpmark::toolkit {

/// A PTX version is written as 9.0 and read as 900; an architecture, sm_90a, as 90.
int number_of_version(std::string_view version);
int number_of_architecture(std::string_view name);

/// The word after a directive such as ".target", without a comma; "" if there is none before the
/// first declaration.
std::string_view header_word(std::string_view text, std::string_view directive);

/// The text with a version that the CPU device reads. A GPU's driver loads the cubin of any CUDA of
/// its major version, but PTX of its own version at most, and so does the device if it imitates one
/// (WARPMARK_CPU_DRIVER): what the text has of a later version is refused where it is used. By
/// itself the device reads any version.
std::string with_readable_version(std::string text);

/// The text for another architecture.
std::string with_target(std::string text, std::string_view target);

}  // namespace warpmark::toolkit
