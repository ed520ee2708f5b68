#include "python/python_choice.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/spawn.hpp"
#include "base/text.hpp"
#include "python/known_pythons.hpp"
#include "python/linked_python.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The mark keeps apart what a wrapper script prints on its own.
constexpr const char* kProbe =
    "import sys\n"
    "print('warpmark-probe', sys.executable, '%d.%d' % sys.version_info[:2] +"
    " getattr(sys, 'abiflags', ''), sys.base_prefix, sep='\\n')";
constexpr OutputLimits kProbeLimits{std::chrono::seconds(20), size_t{1} << 16};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path resolved(const fs::path& path) {
  std::error_code failed;
  const fs::path result = fs::weakly_canonical(path, failed);
  return failed ? path : result;
}

std::optional<PythonIdentity>& host() {
  static std::optional<PythonIdentity> python;
  return python;
}

// Why an interpreter does not fit the linked libpython; "" if it does.
std::string mismatch(const PythonIdentity& found) {
  const PythonIdentity linked = linked_python();
  if (found.version != linked.version) {
    return "it is Python " + found.version + ", but Warpmark is linked to Python " + linked.version;
  }
  if (found.base_prefix != linked.base_prefix) {
    return "its base prefix is " + found.base_prefix.string() +
           ", but Warpmark is linked to the Python in " + linked.base_prefix.string();
  }
  return "";
}

}  // namespace

void set_host_python(PythonIdentity python) {
  host() = std::move(python);
}

bool has_host_python() {
  return host().has_value();
}

std::string own_python_version() {
  return has_host_python() ? host()->version : linked_python().version;
}

PythonIdentity linked_python() {
  return {kRecordedPython, kLinkedPythonVersion, resolved(kLinkedPythonBasePrefix)};
}

PythonSearch PythonSearch::from_environment() {
  const PythonIdentity linked = linked_python();
  return {variable("WARPMARK_PYTHON"), variable("VIRTUAL_ENV"), linked.executable,
          linked.base_prefix / "bin" / ("python" + linked.version)};
}

std::string PythonChoice::text() const {
  std::string out = "Python " + python.version + " at " + python.executable.string();
  if (origin == "build") {
    out += " (found when Warpmark was built)";
  } else if (origin == "host") {
    out += " (in which Warpmark is installed)";
  } else if (origin == "libpython") {
    out += " (beside the libpython that Warpmark is linked to)";
  } else {
    out += " (from " + origin + ")";
  }
  for (const std::string& notice : notices) out += "\n" + notice;
  return out;
}

Error PythonChoice::lacks(const std::string& module, const std::string& why,
                          const std::string& hint) const {
  std::string text = python.executable.string() + " has no usable " + module + ": " + why;
  for (const std::string& notice : notices) text += "; " + notice;
  return environment_error(text, hint);
}

PythonProbe probe_python(const fs::path& executable) {
  // -I and -S: neither the user's environment nor site-packages can change the answer.
  const auto output = output_of({executable.string(), "-I", "-S", "-c", kProbe}, kProbeLimits);
  if (!output) {
    if (!executable.has_parent_path()) return {{}, "it cannot be run, or did not answer"};
    if (::access(executable.c_str(), X_OK) == 0) return {{}, "it did not answer"};
    return {{}, std::string("it cannot be run: ") + std::strerror(errno)};
  }
  const std::vector<std::string> lines = split(output->text, '\n');
  for (size_t i = 0; i + 3 < lines.size() && output->code == 0; ++i) {
    if (lines[i] != "warpmark-probe") continue;
    return {PythonIdentity{lines[i + 1], lines[i + 2], resolved(lines[i + 3])}, ""};
  }
  return {{}, "it does not behave like Python (exit status " + std::to_string(output->code) + ")"};
}

namespace {

// Starting an interpreter takes 10 to 30 ms, which is a tenth of a small run.
PythonProbe probe_or_known(const fs::path& executable) {
  const std::string facts = python_facts(executable);
  if (auto known = known_python(facts)) return {std::move(known), ""};
  PythonProbe probe = probe_python(executable);
  // A file that changed meanwhile is asked again.
  if (probe.identity && python_facts(executable) == facts) keep_python(facts, *probe.identity);
  return probe;
}

}  // namespace

PythonChoice choose_python(const PythonSearch& search) {
  PythonChoice choice;
  if (host()) {
    choice.python = *host();
    choice.origin = "host";
    if (!search.warpmark_python.empty()) {
      choice.notices.push_back("WARPMARK_PYTHON is not used: Warpmark is installed in a Python, " +
                               host()->executable.string() + ", and runs in that one");
    }
    const std::string folder = (fs::path(search.virtual_env) / "").string();
    if (!search.virtual_env.empty() && !host()->executable.string().starts_with(folder)) {
      choice.notices.push_back("the virtual environment " + search.virtual_env +
                               " is not used: Warpmark is installed in another Python, " +
                               host()->executable.string());
    }
    return choice;
  }
  std::string failure;
  const auto usable = [&](const fs::path& executable, const char* origin) {
    PythonProbe probe = probe_or_known(executable);
    failure = probe.identity ? mismatch(*probe.identity) : probe.failure;
    if (!failure.empty()) return false;
    choice.python = std::move(*probe.identity);
    choice.origin = origin;
    return true;
  };

  if (!search.warpmark_python.empty()) {
    if (usable(search.warpmark_python, "WARPMARK_PYTHON")) return choice;
    throw environment_error(
        "WARPMARK_PYTHON names " + search.warpmark_python + ", which cannot be used: " + failure,
        "unset WARPMARK_PYTHON, or name a virtual environment made with `" +
            search.recorded.string() + " -m venv FOLDER`");
  }
  if (!search.virtual_env.empty()) {
    if (usable(fs::path(search.virtual_env) / "bin" / "python3", "VIRTUAL_ENV")) return choice;
    choice.notices.push_back("the virtual environment " + search.virtual_env +
                             " is not used: " + failure);
  }
  if (usable(search.recorded, "build")) return choice;
  const std::string recorded_failure = failure;
  choice.notices.push_back("the Python that Warpmark was built with, " + search.recorded.string() +
                           ", is not used: " + failure);
  if (!search.plain.empty() && usable(search.plain, "libpython")) return choice;
  throw environment_error("the Python that Warpmark was built with, " + search.recorded.string() +
                              ", cannot be used: " + recorded_failure,
                          "set WARPMARK_PYTHON to a Python " + linked_python().version + " of " +
                              linked_python().base_prefix.string() + ", or build again");
}

}  // namespace warpmark
