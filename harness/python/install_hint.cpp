#include "python/install_hint.hpp"

namespace warpmark {

std::string install_hint(const PythonChoice& choice, const std::string& package) {
  std::string text =
      "install it with `" + choice.python.executable.string() + " -m pip install " + package + "`";
  // A package of Python runs in no other one.
  if (choice.origin != "host") {
    text += " or your system's package manager (python3-" + package +
            "), or set WARPMARK_PYTHON to a Python that has it";
  }
  return text;
}

}  // namespace warpmark
