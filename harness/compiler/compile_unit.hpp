// What NVRTC gets of a request: source, headers and options, and the key of the cache.
#pragma once

#include <string>
#include <vector>

#include "compiler/compiler.hpp"

namespace warpmark {

/// Everything about a request that both the key and the compilation need.
struct CompileUnit {
  std::string source;  ///< with its `#line`
  std::string name;    ///< below kVirtualRoot
  std::vector<Header> headers;
  std::vector<std::string> options;
  std::vector<std::string> instances;  ///< of templates, to make
  std::vector<std::string> variables;
  std::vector<LayoutQuestion> layouts;
  std::string not_cacheable;
  bool closed = false;  ///< these headers and no others
  std::string written;  ///< the source as it is in its file; "" if it was generated
  int first_line = 1;   ///< of it, in that file
};

/// The name inside the virtual root; of an absolute one only the last part.
std::string shown_name(const CompileRequest& request);

/// Reads the headers. Throws a usage error for an option that a suite cannot set.
CompileUnit make_unit(const CompileRequest& request);

std::string key_of(const CompileUnit& unit, const Nvrtc& nvrtc);

/// With what is this machine's business, and so not in the key.
std::vector<std::string> full_options(const CompileUnit& unit, const Nvrtc& nvrtc);

}  // namespace warpmark
