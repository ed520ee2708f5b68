// Sections as an ELF file in memory, the form in which libdw takes them.
#pragma once

#include <string>

#include "debug/debug_info.hpp"

namespace warpmark::debugging {

std::string elf_image(const Sections& sections);

}  // namespace warpmark::debugging
