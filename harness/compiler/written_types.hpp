// The types of a kernel's parameters as its declaration has them, where the words of C++ alone tell
// them.
#pragma once

#include <map>
#include <string>

#include "compiler/compile_unit.hpp"

namespace warpmark {

/// "(float*, float const*, int)", as a demangler writes it, by the name of each kernel outside of
/// namespaces whose parameters are numbers and pointers to numbers under C++'s own names. Empty if
/// the source has conditions, or headers that are neither the toolkit's nor ours: what a name means
/// is the compiler's to say then. A kernel that is declared twice, or whose list has a name that a
/// macro of the source has, is left out. A quarter of a small kernel's compilation is spared by it.
std::map<std::string, std::string> written_types(const CompileUnit& unit);

}  // namespace warpmark
