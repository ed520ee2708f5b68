// The facts about a source's types that only a compiler knows: types of parameters and variables,
// and the layout of structs. Each is asked for by a separate program, whose symbols hold the
// answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compile_unit.hpp"

namespace warpmark {

/// The types of kernels whose symbols do not have them, by symbol: "(float*, int)"; and of the
/// unit's variables, by "&" and their name. Types are advisory, so a hostile source can only lose
/// them.
std::map<std::string, std::string> kernel_types(
    const Nvrtc& nvrtc, const CompileUnit& unit, const std::vector<Entry>& entries,
    const std::map<std::string, std::string>& instances);

/// "24 4 0 1026 12 2052" by the name of each struct that the unit asks for: size, alignment, and
/// the offset and kind of each field; or "!" and the reason why there is no answer.
std::map<std::string, std::string> layouts_of(const Nvrtc& nvrtc, const CompileUnit& unit);

/// Parses such a text.
LayoutFacts layout_facts(const std::string& name, const std::string& text);

}  // namespace warpmark
