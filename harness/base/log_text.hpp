// Text for logs: long texts are shortened, and none forms a command to a reader of the log.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// Shortens a long text for reading: of each text in backticks with more than 400 characters the
/// first 200 and the last 100 stay, of each line with more than 4,000 the first 2,000 and the last
/// 1,000, with the number of missing ones: "`aaa… (999,700 characters left out) …zzz`". A shortened
/// text stays as it is.
std::string shortened(std::string whole);

/// Changes a text for a log that GitHub's runner reads, so that no line is a workflow command. `::`
/// at the start of a line becomes `: :`, and `##[`, which counts anywhere, `# #[`.
std::string without_commands(std::string_view text);
/// The same for JSON, whose values stay equal: `##[` becomes `##\u005b`.
std::string json_without_commands(std::string json);

}  // namespace warpmark
