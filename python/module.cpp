// The extension module warpmark._core: the program inside a Python that already runs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/own_program.hpp"
#include "cli/program.hpp"
#include "python/python_choice.hpp"

namespace py = pybind11;

namespace {

// The process is the program's own from here on, as __main__.py sees to; called once.
int run_main(const std::vector<std::string>& arguments, const std::vector<std::string>& command,
             const std::string& worker, const std::string& folder) {
  const auto sys = py::module_::import("sys");
  warpmark::PythonIdentity python;
  python.executable = sys.attr("executable").cast<std::string>();
  python.version = py::str("{}.{}").format(*sys.attr("version_info")[py::slice(0, 2, 1)]);
  python.base_prefix = sys.attr("base_prefix").cast<std::string>();
  warpmark::set_host_python(python);
  std::vector<std::string> words = {"warpmark"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  warpmark::set_own_program({command.front(), command, worker, folder, words});

  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  pointers.push_back(nullptr);
  const py::gil_scoped_release unlocked;
  std::signal(SIGPIPE, SIG_IGN);
  return warpmark::run_program(static_cast<int>(words.size()), pointers.data());
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The program warpmark as a function. Use the package, not this module.";
  module.def(
      "main", &run_main, py::arg("arguments"), py::arg("command"), py::arg("worker"),
      py::arg("folder"),
      "Runs the program and returns its exit code. `command` starts it again; `worker` is the\n"
      "file of a worker, `folder` the one that the libraries are found from.");
}
