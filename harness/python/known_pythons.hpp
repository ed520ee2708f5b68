// The identities of interpreters that were asked before, kept in the user's cache folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "python/python_choice.hpp"

namespace warpmark {

/// The facts that decide an interpreter's answer, as a text: its path, the size and times of the file
/// that this leads to, and those of the virtual environment's `pyvenv.cfg`, if there is one. "" for a name
/// without a folder, which the search path may lead elsewhere, and for a file that cannot be read.
std::string python_facts(const std::filesystem::path& executable);

/// The identity that was kept with these facts; nothing if there is none, or it cannot be read.
std::optional<PythonIdentity> known_python(const std::string& facts);

/// Keeps an identity, if there is a cache folder. One that cannot be written is no error: the next
/// process asks again.
void keep_python(const std::string& facts, const PythonIdentity& identity) noexcept;

}  // namespace warpmark
