// Texts that are files beside the code: embedded at build time, and filled with values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// The text of a file that harness/base/CMakeLists.txt embeds: "report/page/page.css". Throws an
/// internal error if there is none.
std::string_view embedded_text(std::string_view file);
/// The embedded files in a folder, "cli/draft/course/", as paths within it, sorted.
std::vector<std::string> embedded_files(std::string_view folder);

/// The text with its tags replaced, a subset of Mustache. A name is looked up in the innermost
/// section that has it; to fill one that is nowhere is an internal error.
///   {{name}}              the value, escaped
///   {{&name}}             the value as it is
///   {{#name}} {{/name}}   what is between: once for each element of a list, within an object, or if
///                         a text is not empty or a value true; `.` is the element itself
///   {{?name}} {{/name}}   what is between, once where {{#name}} gives anything
///   {{^name}} {{/name}}   what is between if the above would be nothing, as where there is no value
///   {{>file}}             an embedded text, filled in the same place
/// A tag of a section or a file that is a line alone takes the line with it; within a line, a file
/// comes without its last newline.
std::string filled(std::string_view text, const nlohmann::ordered_json& values,
                   std::string (*escaped)(std::string_view) = nullptr);
/// The same of an embedded text.
std::string filled_file(std::string_view file, const nlohmann::ordered_json& values,
                        std::string (*escaped)(std::string_view) = nullptr);

}  // namespace warpmark
