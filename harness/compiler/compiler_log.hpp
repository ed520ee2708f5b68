// The text of a compiler: made printable, and searched for the first error.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmark {

/// Printable, of bounded length, and without ptxas's times, which differ from run to run.
std::string clean_compiler_log(std::string_view raw);

/// "x.cu(3): error: …" gives x.cu:3, the place of the first error.
Position first_error_in(const std::string& log);

/// The name in an error's text that is undefined: `identifier "x" is undefined`; "" for others.
std::string undefined_name(std::string_view error);

/// The text without the folder's absolute path before names of files in it.
std::string without_folder(std::string text, const std::filesystem::path& folder);

}  // namespace warpmark
