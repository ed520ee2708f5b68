// Answers about files that take long to get, kept in the user's cache folder until a file changes.
#pragma once

#include <optional>
#include <string>

namespace warpmark {

/// The answer that was kept in the folder `kind` of the cache for these facts, which end with a line
/// end and name all that decides it (base/file_facts.hpp); nothing if there is none, or it cannot
/// be read.
std::optional<std::string> kept_answer(const std::string& kind, const std::string& facts);

/// Keeps an answer, if there is a cache folder. One that cannot be written is no error: the next
/// process asks again.
void keep_answer(const std::string& kind, const std::string& facts,
                 const std::string& answer) noexcept;

}  // namespace warpmark
