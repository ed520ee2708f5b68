// Where in the source a statement stands, with the calls that the compiler inlined.
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
  std::string function;  ///< that holds the line, if it was inlined; "" if that is not known
  bool calls = false;    ///< a call stands there, of a function that was not inlined
  bool merged = false;   ///< code of several lines, of which this is one, or near
};

/// The line of a statement, then those of the calls that it was inlined through, innermost first;
/// the last stands in the kernel, or in a function that is called. Empty if PTX does not say.
std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement);
/// … and then those of the calls that led there, as Fault::calls has them.
std::vector<SourceLine> source_lines(const Program& program, std::uint32_t statement,
                                     const std::vector<std::uint32_t>& calls);

/// How code of a function that was not inlined is reached, as the program alone shows: the calls of
/// it as Fault::calls, as far as there is one call only, and then all that there may be.
struct Callers {
  std::vector<std::uint32_t> calls, choices;  ///< statements; one of each place
};
Callers callers_of(const Program& program, std::uint32_t statement);

/// Which of the lines is the first that is no header's of the toolkit (libcu++, cooperative groups,
/// CUB …), where those who write kernels look; 0 if there is none.
std::size_t own_line(const std::vector<SourceLine>& lines);

/// Whether two statements come from one place: file, line, column, and the same calls. Without
/// lines only a statement itself is the same.
bool same_place(const Program& program, std::uint32_t one, std::uint32_t other);

/// "Scan::step" of "_ZN4ScanIfE4stepEi": the names of a mangled name (Itanium C++ ABI 5.1.2), less
/// arguments and parameters. What cannot be read so is returned as it is.
std::string readable_name(std::string_view mangled);

/// "tile" of "_ZZ6kernelPfE4tile": a variable's own name, without where it is declared; also of the
/// variables that the optimiser makes of its parts (_ZZ6kernelPfE4tile_$_0). What cannot be read so
/// is returned as it is.
std::string variable_name(std::string_view mangled);

}  // namespace warpmark::cpu
