// The place in the source of a statement, with the calls that the compiler inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.hpp"

namespace warpmark::cpu {

struct SourceLine {
  std::string_view file;  ///< as PTX says it: a string, never a path to open
  std::uint32_t line = 0;
  std::string function;  ///< inlined function that holds the line; "" if not known
  bool calls = false;    ///< the line calls a function that was not inlined
  bool merged = false;   ///< the code is of several lines; this is one of them, or near
};

/// The line of a statement, then those of the calls that it was inlined through, innermost first;
/// the last one is in the kernel, or in a called function. Empty if PTX does not say.
std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement);
/// The same, followed by the lines of the calls that led there, as in Fault::calls.
std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement,
                                     const std::vector<std::uint32_t>& calls);

/// The calls that lead to code of a function that was not inlined, as far as the program alone
/// shows: the chain of calls, as in Fault::calls, while there is only one call, and then all
/// possible calls.
struct Callers {
  std::vector<std::uint32_t> calls, choices;  ///< statements, one for each place
};
Callers callers_of(const Program& program, std::uint32_t statement);

/// The index of the first line that is not in a header of the toolkit (libcu++, cooperative groups,
/// CUB …) or of another library, which is where the kernel's author will look; 0 if there is none.
std::size_t own_line(const std::vector<SourceLine>& lines);

/// Returns whether two statements come from one place: file, line, column, and the same calls.
/// Without line information a statement equals only itself.
bool same_place(const Program& program, std::uint32_t one, std::uint32_t other);

/// "Scan::step" of "_ZN4ScanIfE4stepEi": the names of a mangled name (Itanium C++ ABI 5.1.2),
/// without arguments and parameters. A name that cannot be read so is returned unchanged.
std::string readable_name(std::string_view mangled);

/// "tile" of "_ZZ6kernelPfE4tile": a variable's own name, without where it is declared; also for
/// variables that the optimiser makes of its parts (_ZZ6kernelPfE4tile_$_0). A name that cannot be
/// read so is returned unchanged.
std::string variable_name(std::string_view mangled);

}  // namespace warpmark::cpu
