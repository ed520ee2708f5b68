#include "grade/pack/pack_scripts.hpp"

#include <nlohmann/json.hpp>

#include "base/template.hpp"
#include "results/reproduce.hpp"

namespace warpmark {
std::string pack_script(const std::string& name, const PackScripts& about) {
  // A package needs an interpreter alone, from wherever; a program, the system's libpython, too.
  const bool package = !about.package.empty();
  const std::string python = "python" + about.python_version;
  return filled_file("grade/pack/" + name + ".in",
                     {{"program", shell_word(about.program)},
                      {"start", package ? "\"$python\" \"$source\"/" + shell_word(about.package)
                                        : "\"$source\"/" + shell_word(about.program)},
                      {"has_python", package ? "command -v " + python + " >/dev/null" : "false"},
                      {"python_packages", package ? python : "lib" + python + " " + python},
                      {"python_file", package ? python : "/usr/bin/" + python},
                      {"assignment", shell_word(about.assignment)},
                      {"python", about.python_version},
                      {"release", about.release},
                      {"limit", about.limit_s},
                      {"no_sandbox", about.no_sandbox ? " --no-sandbox" : ""},
                      {"arguments", about.arguments},
                      {"grades", shell_word(about.grades)}});
}

}  // namespace warpmark
