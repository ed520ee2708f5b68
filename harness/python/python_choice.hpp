// Chooses the Python that the embedded interpreter acts as: the order of the search, and the
// reasons.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// The inputs of the choice. Empty texts count as not set.
struct PythonSearch {
  std::string warpmark_python;     ///< $WARPMARK_PYTHON: a path, or a name looked up in $PATH
  std::string virtual_env;         ///< $VIRTUAL_ENV: the folder of an active virtual environment
  std::filesystem::path recorded;  ///< the interpreter that the build found
  /// The linked libpython's own, if the recorded interpreter is gone; empty: none.
  std::filesystem::path plain{};

  static PythonSearch from_environment();
};

/// The facts that an interpreter reports about itself.
struct PythonIdentity {
  std::filesystem::path executable;   ///< its sys.executable
  std::string version;                ///< major.minor and ABI flags, as in "3.11" or "3.13t"
  std::filesystem::path base_prefix;  ///< folder of its standard library, with links resolved
};

/// The interpreter found, its origin, and the reasons against other candidates.
struct PythonChoice {
  PythonIdentity python;
  /// "WARPMARK_PYTHON", "VIRTUAL_ENV", "build", "libpython" or "host"
  std::string origin;
  std::vector<std::string> notices;  ///< one line for each rejected candidate, to be shown

  /// One line for `warpmark doctor`, then the notices.
  std::string text() const;

  /// The environment error for a module that this Python has not, "NumPy". It names the rejected
  /// candidates, which perhaps have it.
  Error lacks(const std::string& module, const std::string& why, const std::string& hint) const;
};

/// The requirements of the libpython that this program is linked to; its executable is that of the
/// build.
PythonIdentity linked_python();

/// Declares that this process is a running Python, which choose_python() then takes. To be called
/// once, before that.
void set_host_python(PythonIdentity python);
bool has_host_python();

/// The version of the host, or of the libpython that this program is linked to: "3.11".
std::string own_python_version();

/// Takes the host, if there is one; else WARPMARK_PYTHON, else a usable VIRTUAL_ENV, else the recorded one, else (an installed
/// program may outlive the environment that it was built in) the plain one. A candidate is usable
/// if it runs and has the version and base prefix of the linked libpython. Throws an environment
/// error that names both sides if WARPMARK_PYTHON, or none of the others, is usable.
PythonChoice choose_python(const PythonSearch& search = PythonSearch::from_environment());

/// Runs `executable` (about 10 ms) and returns its identity, or the reason why there is none.
struct PythonProbe {
  std::optional<PythonIdentity> identity;
  std::string failure;
};
PythonProbe probe_python(const std::filesystem::path& executable);

}  // namespace warpmark
