// The errors in a source, from a compiler's log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The errors that NVRTC, ptxas and linkers report for a source, each with its further lines but
/// without the lines of the source that are quoted: "k.cu(3): error: identifier "x" is undefined".
/// Warnings are left out, and so are errors about the options or the name of a template's instance.
std::vector<std::string> source_errors(std::string_view log);

/// True if an error of the log contains `text`. A match in the name of the file does not count.
bool refusal_says(std::string_view log, std::string_view text);

}  // namespace warpmark
