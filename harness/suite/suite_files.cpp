// The files that a suite names: there, and below its own folder.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

std::filesystem::path below(const Suite& suite, const std::string& name, const Position& where,
                            const std::string& what) {
  const std::filesystem::path path = name;
  if (path.is_absolute()) {
    throw usage_error(what + " must be relative to the suite's folder", where);
  }
  return suite.folder / path;
}

// "did you mean `x.cu`?", of the files beside the one that is not there.
std::string nearest_file(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), ignored)) {
    names.push_back(printable(entry.path().filename().string()));
  }
  std::ranges::sort(names);
  const std::string near = nearest(path.filename().string(), names);
  return near.empty() ? "" : fmt::format("did you mean `{}`?", near);
}

void require_file(const Suite& suite, const std::string& name, const Position& where,
                  const std::string& what) {
  std::error_code ignored;
  const std::filesystem::path path = below(suite, name, where, what);
  if (std::filesystem::is_regular_file(path, ignored)) return;
  throw usage_error(fmt::format("there is no file `{}` in {}", name, display_path(suite.folder)),
                    where, nearest_file(path));
}

void require_folder(const Suite& suite, const Located& folder) {
  std::error_code ignored;
  const auto path = below(suite, folder.text, folder.where, "a folder of `include`");
  if (std::filesystem::is_directory(path, ignored)) return;
  throw usage_error(
      fmt::format("there is no folder `{}` in {}", folder.text, display_path(suite.folder)),
      folder.where);
}

void require_python(const Suite& suite, const PythonText& value) {
  if (!value.function) return;
  require_file(suite, value.text.substr(0, value.text.rfind(':')), value.where, "a Python file");
}

void check_kernel_files(const Suite& suite, const Kernel& kernel) {
  if (kernel.file && kernel.source) {
    throw usage_error("`kernel` has both `file` and `source`", kernel.source->where,
                      "keep one of them");
  }
  if (kernel.image && (kernel.file || kernel.source)) {
    throw usage_error(fmt::format("`kernel` has both `{}` and a source", kernel.image_form),
                      kernel.image->where, "keep one of them");
  }
  if (kernel.compiler && kernel.compiler->text != "nvrtc" && !kernel.file) {
    throw usage_error(
        fmt::format("{} compiles files, and `kernel` has no `file`", kernel.compiler->text),
        kernel.compiler->where);
  }
  if (kernel.arch && kernel.image) {
    throw usage_error(
        fmt::format("`arch` is for sources, and `{}` is compiled already", kernel.image_form),
        kernel.arch->where);
  }
  if (kernel.image) {
    require_file(suite, kernel.image->text, kernel.image->where, "`" + kernel.image_form + "`");
  }
  if (kernel.file) require_file(suite, kernel.file->text, kernel.file->where, "`file`");
  for (const Located& unit : kernel.link) require_file(suite, unit.text, unit.where, "`link`");
  for (const Located& folder : kernel.include) require_folder(suite, folder);
}

}  // namespace

void check_suite_files(const Suite& suite) {
  for (const Kernel* kernel : kernels(suite)) check_kernel_files(suite, *kernel);
  for (const Located& file : step_files(suite)) {
    require_file(suite, file.text, file.where, "`file`");
  }
  for (const PythonText& text : python_texts(suite)) require_python(suite, text);
}

}  // namespace warpmark
