// The input that NVRTC gets for a request: source, headers and options, and the key of the cache.
#pragma once

#include <string>
#include <vector>

#include "compiler/compiler.hpp"
#include "compiler/device_part.hpp"

namespace warpmark {

/// The parts of a request that both the key and the compilation need.
struct CompileUnit {
  std::string source;  ///< with its `#line`
  std::string name;    ///< below kVirtualRoot
  std::vector<Header> headers;
  std::vector<std::string> options;
  std::vector<std::string> instances;  ///< instances of templates to make
  std::vector<std::string> variables;
  std::vector<LayoutQuestion> layouts;
  std::string not_cacheable;
  bool closed = false;  ///< no headers but these are allowed
  std::string written;  ///< the source as it is in its file; "" if it was generated
  int first_line = 1;   ///< line of the source's first line in that file
  DevicePart part;      ///< of a request for it: what was left out; its texts are those above
};

/// The name inside the virtual root; for an absolute name only the last part.
std::string shown_name(const CompileRequest& request);

/// Reads the headers. Throws a usage error for an option that a suite cannot set. `folders` are
/// those of the toolkit's headers.
CompileUnit make_unit(const CompileRequest& request, const std::vector<std::string>& folders);

std::string key_of(const CompileUnit& unit, const Nvrtc& nvrtc);

/// Adds the options that depend on the machine, and so are not in the key.
std::vector<std::string> full_options(const CompileUnit& unit, const Nvrtc& nvrtc);

}  // namespace warpmark
