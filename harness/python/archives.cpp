#include "python/archives.hpp"

#include <fmt/format.h>
#include <pybind11/embed.h>
#include <pybind11/stl.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "python/archives_text.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

Unpacked unpack_zip([[maybe_unused]] Interpreter& python, const std::filesystem::path& archive,
                    const std::filesystem::path& folder, const ArchiveLimits& limits) {
  const auto host_error = [&](const std::string& why) {
    return environment_error(fmt::format("cannot unpack {} into {}: {}", display_path(archive),
                                         display_path(folder), why));
  };
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw host_error(code.message());
  const py::gil_scoped_acquire lock;
  py::dict scope;
  try {
    const auto builtins = py::module_::import("builtins");
    builtins.attr("exec")(builtins.attr("compile")(kArchivesText, "archives.py", "exec"), scope);
    const auto decoded = [](const std::filesystem::path& path) {
      return py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(path.c_str()));
    };
    // Sources, their headers, notebooks, archives, and the metadata of a platform.
    const py::tuple kept = py::make_tuple(".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl",
                                          ".inc", ".py", ".ipynb", ".zip", ".yml");
    const py::tuple result = scope["unpack"](decoded(archive), decoded(folder), limits.files,
                                             limits.file_bytes, limits.bytes, kept);
    Unpacked unpacked;
    unpacked.problem = result[0].cast<std::string>();
    for (const py::handle& one : result[1])
      unpacked.left_out.push_back(py::reinterpret_borrow<py::bytes>(one));
    return unpacked;
  } catch (const py::error_already_set& error) {
    if (scope.contains("HostError") && error.matches(scope["HostError"])) {
      throw host_error(py::str(error.value()));
    }
    throw internal_error("an archive cannot be unpacked: " + objects::exception_text(error));
  }
}

}  // namespace warpmark
