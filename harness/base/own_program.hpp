// How this copy of the program is started again (base/spawn.hpp does it), and where it lies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmark {

/// By default what /proc says of this process; a host, as a Python that has Warpmark as an extension
/// module, says it with `set_own_program`.
struct OwnProgram {
  std::string file;  ///< runs it
  /// With these words in front of the arguments; empty: with a name only.
  std::vector<std::string> command;
  std::string worker;  ///< the file to run as `FILE worker`: the program, or one without Python
  std::filesystem::path folder;  ///< the libraries are found from here, see places.hpp
  /// How it was called: its name, then the arguments; empty: as /proc says.
  std::vector<std::string> arguments;
};

/// Throws an environment error if /proc cannot be read.
const OwnProgram& own_program();

/// How this process was called: the program's name and its arguments. Throws a usage error if /proc
/// cannot be read.
std::vector<std::string> own_arguments();

/// To be called at most once, before anything asks for it.
void set_own_program(OwnProgram program);

}  // namespace warpmark
