// What only a compiler knows of a source's types: of parameters and variables, and how structs are
// laid out. Each is asked by a program of its own, whose symbols hold the answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compile_unit.hpp"

namespace warpmark {

/// Of kernels whose symbols do not have them, by symbol: "(float*, int)"; and of the unit's variables,
/// by "&" and their name. Types are advisory, so whatever a hostile source makes of this only loses
/// them.
std::map<std::string, std::string> kernel_types(
    const Nvrtc& nvrtc, const CompileUnit& unit, const std::vector<Entry>& entries,
    const std::map<std::string, std::string>& instances);

/// "24 4 0 1026 12 2052" by the name of each struct that the unit asks for: size, alignment, and of
/// each field the offset and what it is; or "!" and why there is no answer.
std::map<std::string, std::string> layouts_of(const Nvrtc& nvrtc, const CompileUnit& unit);

/// Such a text, read.
LayoutFacts layout_facts(const std::string& name, const std::string& text);

}  // namespace warpmark
