// The build ID of a program or library: what tells one build from another without reading all of it.
#pragma once

#include <string>

namespace warpmark {

/// The linker's build ID of a 64-bit ELF file, in hexadecimal digits. Linkers make it of everything
/// that they link, so that each other build has another one, and stripping keeps it. "" if the file
/// has none, is no such file or cannot be read. (ELF notes of type NT_GNU_BUILD_ID, elf(5).)
std::string build_id(const std::string& file);

}  // namespace warpmark
