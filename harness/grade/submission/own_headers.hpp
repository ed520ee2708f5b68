// Which headers of their own a student's file includes, out of what was handed in with it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "grade/submission/submission.hpp"

namespace warpmark {

/// A header's bytes, or why they cannot be taken; nothing if there is none of that name.
struct HeaderBytes {
  std::string bytes;
  std::string refusal;
};
using ReadHeader = std::function<std::optional<HeaderBytes>(const std::string& name)>;

/// Fills `file.headers` with what its text includes and `read` has. A name is looked for beside the
/// header that includes it, then beside the file; one that leads out of the folder nowhere, and
/// headers of the course, of the assignment's toolkit and of the language are not replaced. Sets a
/// refusal for more or larger ones than the rules allow, for what is no text, and where one name
/// means two headers.
void take_own_headers(SubmittedFile& file, const SubmissionRules& rules, const ReadHeader& read);

}  // namespace warpmark
