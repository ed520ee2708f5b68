// Text for logs: long ones shortened, and none that forms a command to who reads the log.
#pragma once

#include <string>
#include <string_view>

namespace warpmark {

/// What a person can read of a long text: of each text in backticks with more than 400 characters
/// the first 200 and the last 100, of each line with more than 4,000 the first 2,000 and the last
/// 1,000, and how many are missing: "`aaa… (999,700 characters left out) …zzz`". A shortened text
/// stays as it is.
std::string shortened(std::string whole);

/// The text as a log that GitHub's runner reads: no line of it is a workflow command. `::` at the
/// start of a line becomes `: :`, and `##[`, which counts anywhere, `# #[`.
std::string without_commands(std::string_view text);
/// The same for JSON, whose values stay what they are: `##[` becomes `##\u005b`.
std::string json_without_commands(std::string json);

}  // namespace warpmark
