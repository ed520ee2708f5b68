// The keys that `kernel` has with the plugins that write kernels, a line each: what the plugins
// know, and what schema/suite.json says of them.
#pragma once

#include <string>
#include <vector>

#include "warpmark/plugin.hpp"

namespace warpmark::codegen {

struct KernelKey {
  const char* name;
  const char* says;  ///< for its reader; "" for a key of every suite, which has a form there
  const char* form;  ///< of the value, as JSON schema
  bool needed = false;
};

struct KernelKeys {
  const char* plugin;
  std::vector<KernelKey> keys;
  const char* rules = "{}";  ///< further members of the schema
};

/// The plugins in the schema's order.
const std::vector<KernelKeys>& all_kernel_keys();

/// Throws a Failure for a suite with another key of `kernel`, or with a `launch`: the plugin has
/// its own. `changes` says of its error what changes the launch.
void require_keys(const plugin::Json& which, const std::string& plugin, const std::string& changes);

/// Definitions of the schema of suites: what the tables refer to, and a schema of `kernel` for each
/// plugin, called PLUGINKernel.
plugin::Json kernel_definitions();

}  // namespace warpmark::codegen
