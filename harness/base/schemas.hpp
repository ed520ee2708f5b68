// The JSON Schemas that came with the program, and the line by which editors find one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// Their names, sorted: "suite" for suite.json. Empty for a program that was copied without them.
std::vector<std::string> schema_names(const std::filesystem::path& schemas);

/// Nothing if there is none of that name.
std::optional<std::filesystem::path> schema_file(const std::filesystem::path& schemas,
                                                 std::string_view name);

/// "# yaml-language-server: $schema=…\n", the first line of a YAML file in `folder`, or "" if there
/// is no such schema. The way is relative where both are in one tree, as in this repository and in
/// a prefix, and absolute elsewhere. The language server takes no spaces, so that a path with one
/// is written as a file URL.
std::string schema_line(const std::filesystem::path& schemas, std::string_view name,
                        const std::filesystem::path& folder);

}  // namespace warpmark
