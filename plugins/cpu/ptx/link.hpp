// Links several PTX texts into one, as a device linker does with relocatable modules.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace warpmark::cpu {

struct LinkInput {
  std::string name;  ///< for messages
  std::string text;
};

/// The reason why modules cannot be linked: a text that does not parse, or a symbol that is defined
/// twice or not at all. what() names the symbol and the inputs.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One PTX text with the content of all. Symbols that are not .visible, .weak or .extern belong to
/// their input and get a name of their own where another input has one like it; of several .weak
/// definitions the first counts, unless one is not weak. Line numbers of the source stay right.
/// Throws LinkError with one line for each problem.
std::string link_ptx(const std::vector<LinkInput>& inputs);

}  // namespace warpmark::cpu
