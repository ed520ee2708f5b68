#include "grade/pack/pack_files.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "compiler/include_scan.hpp"
#include "compiler/includes.hpp"
#include "driver/choose.hpp"
#include "grade/assignment/seeds.hpp"
#include "python/python_choice.hpp"
#include "runtime/suite_inputs.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kProgramMode = 0755;
// The libraries of the program that a system has only on request, and whose versions differ from
// release to release.
constexpr std::array kBrought = {"libbenchmark", "libfmt", "libgtest", "libyaml-cpp"};

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path way = file.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

class AssignmentFiles {
 public:
  explicit AssignmentFiles(const Assignment& assignment) : assignment_(assignment) {
    add(assignment.file);
    for (const auto& suite : assignment.suites) {
      for (const std::string& file : suite_inputs(*suite)) {
        if (!is_below(file, own_places().library)) add(file);
      }
    }
    for (const fs::path& header : assignment.submission.headers) add_header(header);
    for (const SelfTest& test : assignment.self_tests) add(test.file);
    for (const auto& [file, start] : assignment.templates) add(assignment.folder / start.text);
  }

  void add(const fs::path& path) {
    const fs::path file = fs::absolute(path).lexically_normal();
    std::error_code code;
    if (!fs::is_directory(file, code)) {
      files_.insert(file);
      return;
    }
    for (const auto& entry : fs::recursive_directory_iterator(file)) {
      if (!entry.is_directory()) files_.insert(entry.path().lexically_normal());
    }
  }

  PackedAssignment pack(const std::string& folder) const {
    fs::path root = assignment_.folder;
    for (const fs::path& file : files_) {
      while (!is_below(file, root)) root = root.parent_path();
    }
    PackedAssignment packed;
    for (const fs::path& file : files_) {
      const fs::path way = file.lexically_relative(root);
      const std::string place = folder + "/" + way.generic_string();
      if (file == assignment_.file) packed.file = place;
      packed.files.push_back({place, target_of(file, root), ""});
    }
    return packed;
  }

 private:
  // A course's header may include others beside it.
  void add_header(const fs::path& header) {
    add(header);
    IncludeSearch search;
    search.folder = header.parent_path();
    const std::string name = header.filename().string();
    for (const Header& one : resolve_includes(read_file(header), name, search).headers) {
      if (!one.path.empty()) add(search.folder / one.path);
    }
  }

  // Follows a link within the folder: a link out of it may lead to a file that must not be
  // uploaded.
  fs::path target_of(const fs::path& file, const fs::path& root) const {
    std::error_code code;
    fs::path target = fs::canonical(file, code);
    if (code || !fs::is_regular_file(target, code)) {
      throw usage_error(fmt::format("{} is no file that can be packed", display_path(file)),
                        assignment_.where);
    }
    const bool plain = target == fs::canonical(root) / file.lexically_relative(root);
    if (!plain && !is_below(target, fs::canonical(assignment_.folder))) {
      throw usage_error(fmt::format("{} is a link that leads out of the assignment's folder, to {}",
                                    display_path(file), display_path(target)),
                        assignment_.where, "replace it by the file");
    }
    return target;
  }

  const Assignment& assignment_;
  std::set<fs::path> files_;  // sorted, so that archives are equal
};

// Packs the file in place of the links to it, which archives have no use for.
PackedFile real_file(std::string place, const fs::path& file) {
  std::error_code code;
  const fs::path real = fs::canonical(file, code);
  if (code) {
    throw environment_error(fmt::format("{} is missing: {}", display_path(file), code.message()),
                            "build Warpmark again");
  }
  return {std::move(place), real, "", kProgramMode};
}

// Finds the loaded libraries that are packed with the program.
std::vector<fs::path> brought_libraries() {
  std::vector<fs::path> found;
  const auto look = [](dl_phdr_info* info, size_t, void* into) {
    const fs::path file = info->dlpi_name;
    const std::string name = file.filename().string();
    const bool wanted = std::ranges::any_of(
        kBrought, [&](const char* one) { return name.starts_with(std::string(one) + "."); });
    if (wanted) static_cast<std::vector<fs::path>*>(into)->push_back(file);
    return 0;
  };
  ::dl_iterate_phdr(look, &found);
  std::ranges::sort(found);
  return found;
}

// The toolkit's headers that may be included, and the headers that they include, as paths relative
// to its folder; all of them if only a preprocessor can tell.
std::set<std::string> toolkit_headers(const fs::path& folder, const Nvrtc& nvrtc,
                                      const Assignment& assignment,
                                      const std::vector<PackedFile>& own) {
  // The first header proves the folder, and the second has its version.
  std::string source = "#include <cuda_runtime.h>\n#include <cuda_runtime_api.h>\n";
  for (const std::string& name : assignment.submission.toolkit_headers) {
    source += fmt::format("#include <{}>\n", name);
  }
  for (const PackedFile& file : own) {
    const std::string text = read_file(file.source);
    for (const IncludeDirective& one : scan_includes(text)) {
      if (!one.computed) source += fmt::format("#include <{}>\n", one.name);
    }
  }
  IncludeSearch search;
  for (const std::string& one : nvrtc.include_folders()) search.folders.emplace_back(one);
  search.roots = search.folders;
  search.folder = folder;
  const IncludeClosure closure = resolve_includes(source, "headers.cu", search);
  std::set<std::string> names;
  for (const Header& header : closure.headers) {
    if (!header.path.empty()) names.insert(fs::path(header.path).lexically_normal().string());
  }
  return names;
}

// The name of a header in a toolkit's one folder, where wheels have several.
fs::path name_in_toolkit(const fs::path& file, const Nvrtc& nvrtc) {
  for (const std::string& folder : nvrtc.include_folders()) {
    const fs::path name = file.lexically_relative(folder);
    if (!name.empty() && *name.begin() != "..") return name;
  }
  return file.filename();
}

void add_nvrtc(const fs::path& place, const Nvrtc& nvrtc, std::vector<PackedFile>& files) {
  const fs::path library = fs::canonical(nvrtc.path());
  const std::string name = fmt::format("libnvrtc.so.{}", nvrtc.major());
  files.push_back(real_file((place / "lib" / name).generic_string(), library));
  const std::string builtins = "libnvrtc-builtins.so." + nvrtc.version();
  fs::path found = fs::path(nvrtc.path()).parent_path() / builtins;
  if (!fs::exists(found)) found = library.parent_path() / builtins;
  files.push_back(real_file((place / "lib" / builtins).generic_string(), found));
}

// The name of the system that this program runs on: "Debian GNU/Linux 12 (bookworm)".
std::string system_name() {
  std::error_code code;
  if (!fs::exists("/etc/os-release", code)) return "another system";
  for (const std::string& line : split(read_file("/etc/os-release"), '\n')) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    // The name goes into a script.
    std::erase_if(name, [](char one) {
      return !std::isalnum(static_cast<unsigned char>(one)) &&
             std::string_view(" ()/.-_").find(one) == std::string_view::npos;
    });
    return name;
  }
  return "another system";
}

// The modules of the package, and the worker, which needs no Python.
void add_package(const std::string& root, PackedProgram& packed) {
  const OwnProgram& own = own_program();
  if (!own_places().installed) {
    throw environment_error("a package of Python can be packed once it is installed",
                            "install the wheel, or use build/bin/warpmark");
  }
  packed.program = root + "/bin/" + fs::path(own.worker).filename().string();
  packed.package = root + "/__main__.py";
  packed.files.push_back(real_file(packed.program, own.worker));
  std::set<fs::path> modules;
  for (const auto& entry : fs::directory_iterator(own.folder.parent_path())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".py" || extension == ".so") modules.insert(entry.path());
  }
  for (const fs::path& file : modules) {
    packed.files.push_back({root + "/" + file.filename().string(), file, ""});
  }
}

}  // namespace

PackedAssignment pack_assignment(const Assignment& assignment, const std::vector<fs::path>& more,
                                 const std::string& folder) {
  AssignmentFiles files(assignment);
  for (const fs::path& path : more) {
    if (!fs::exists(path)) throw usage_error("there is no file " + printable(path.string()));
    files.add(path);
  }
  return files.pack(folder);
}

PackedProgram pack_program(const Nvrtc& nvrtc, const Assignment& assignment,
                           const std::vector<PackedFile>& own, const std::string& folder) {
  const Places places = own_places();
  const bool package = has_host_python();
  // The place where the copy will be installed, which is no build folder.
  const fs::path root = package ? "/" + folder + "/warpmark" : "/" + folder;
  const Places there = places_of(root / "bin");
  const auto place = [](const fs::path& path) {
    return path.lexically_relative("/").generic_string();
  };
  PackedProgram packed;
  if (package) {
    add_package(place(root), packed);
  } else {
    packed.program = place(root / "bin/warpmark");
    packed.files.push_back(real_file(packed.program, fs::read_symlink("/proc/self/exe")));
  }
  const std::string needed = place(there.library / "needed");  // where the program looks first
  std::vector<PackedFile>& files = packed.files;
  // Grading knows one kind of kernel, and runs there on the CPU device.
  for (const std::string& name :
       {driver_library_file("cpu"), std::string("warpmark-plugin-source.so")}) {
    files.push_back(real_file(place(there.library / name), places.library / name));
  }
  for (const fs::path& library : brought_libraries()) {
    files.push_back(real_file(needed + "/" + library.filename().string(), fs::canonical(library)));
  }
  const fs::path cuda = place(there.library / "cuda");
  add_nvrtc(cuda, nvrtc, files);
  if (nvrtc.include_folders().empty()) return packed;
  const fs::path headers = nvrtc.include_folders().front();
  for (const std::string& name : toolkit_headers(headers, nvrtc, assignment, own)) {
    const fs::path file = (headers / name).lexically_normal();
    const fs::path packed_name = cuda / "include" / name_in_toolkit(file, nvrtc);
    files.push_back({packed_name.generic_string(), file, ""});
  }
  return packed;
}

PackedFile packed_secret(const fs::path& file) {
  constexpr unsigned kSecretMode = 0600;
  return {"secret", {}, read_secret(file).secret.bytes(), kSecretMode};
}

PackScripts scripts_of(const PackedProgram& program, const PackedAssignment& assignment) {
  PackScripts about;
  about.program = program.program;
  about.package = program.package;
  about.assignment = assignment.file;
  about.python_version = own_python_version();
  about.release = system_name();
  return about;
}

}  // namespace warpmark
