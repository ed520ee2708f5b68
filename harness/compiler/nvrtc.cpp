#include "compiler/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_facts.hpp"
#include "base/kept_answer.hpp"
#include "base/loader.hpp"
#include "base/places.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRuntimeHeader = "cuda_runtime_api.h";
constexpr const char* kKept = "nvrtc";  // kept_answer()

// The advice for a missing NVRTC: ./bootstrap is available only where the program was built.
std::string remedy() {
  // A wheel requires NVRTC, but `pip install --no-deps` leaves it out.
  const char* python = std::getenv("WARPMARK_OWN_PYTHON");
  if (python != nullptr && *python != '\0') {
    return fmt::format(
        "`{} -m pip install 'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-runtime==13.0.*' "
        "'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-cccl==13.0.*'` installs it, or set "
        "WARPMARK_CUDA_HOME to the folder of a toolkit",
        python);
  }
  const Places places = own_places();
  if (!places.installed) {
    return "run ./bootstrap, which fetches it, or set WARPMARK_NVRTC to a libnvrtc.so";
  }
  const bool packaged = places.library.string().starts_with("/usr/lib/");
  return fmt::format(
      "install {}CUDA 12.4 or newer, or set WARPMARK_CUDA_HOME to its folder or "
      "WARPMARK_NVRTC to a libnvrtc.so",
      packaged ? "the package warpmark-cuda, or " : "");
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Newest first: "libnvrtc.so.13" before "libnvrtc.so.12", the development link last.
const std::vector<std::string>& library_names() {
  static const std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  return names;
}

std::vector<fs::path> libraries_below(const fs::path& home) {
  std::vector<fs::path> out;
  // The last two are those of wheels below `nvidia`, for CUDA 12 and from 13 on.
  for (const char* folder :
       {"lib", "lib64", "targets/x86_64-linux/lib", "cu13/lib", "cuda_nvrtc/lib"}) {
    for (const std::string& name : library_names()) {
      std::error_code code;
      if (fs::exists(home / folder / name, code)) out.push_back(home / folder / name);
    }
  }
  return out;
}

// "/usr/local/cuda" and its numbered neighbours, the highest number first.
std::vector<fs::path> homes_like(const fs::path& home) {
  std::vector<fs::path> numbered;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(home.parent_path(), code)) {
    if (entry.path().filename().string().starts_with(home.filename().string() + "-")) {
      numbered.push_back(entry.path());
    }
  }
  std::sort(numbered.rbegin(), numbered.rend());
  numbered.insert(numbered.begin(), home);
  return numbered;
}

// The value of CUDART_VERSION, as in "13000"; "" if it is not to be found.
std::string headers_version(const fs::path& folder) {
  std::error_code code;
  const fs::path file = folder / kRuntimeHeader;
  if (!fs::is_regular_file(file, code)) return "";
  const std::string text = read_file(file);
  constexpr std::string_view define = "#define CUDART_VERSION";
  const size_t at = text.find(define);
  if (at == std::string::npos) return "";
  const size_t start = at + define.size();
  return std::string(trim(std::string_view(text).substr(start, text.find('\n', start) - start)));
}

// Opens the builtins. Seen: NVRTC of a wheel does not find its builtins, which it opens by name at
// the first compilation, unless they are open already.
void open_builtins_beside(const fs::path& library) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(library.parent_path(), code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libnvrtc-builtins.so.")) {
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
}

// Null if it cannot be opened, for which loader_error() has the reason.
void* open_library(const std::string& name) {
  if (name.find('/') != std::string::npos) open_builtins_beside(name);
  dlerror();
  return dlopen(loadable(name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

// A library that was opened, or need not be: its file is one whose answers are known.
struct FoundLibrary {
  std::string path;
  void* library = nullptr;
  std::optional<NvrtcFacts> facts;
};

// The files that decide the answers. "" for a library that cannot be read.
std::string files_behind(const std::string& path, const std::vector<std::string>& folders) {
  const std::string library = file_facts(path);
  if (library.empty()) return "";
  const std::string headers =
      folders.empty() ? "" : file_facts(fs::path(folders.front()) / kRuntimeHeader);
  return "warpmark nvrtc 1\n" + library + "\n" + headers + "\n";
}

std::optional<NvrtcFacts> known_facts(const std::string& files) {
  const auto answer = files.empty() ? std::nullopt : kept_answer(kKept, files);
  if (!answer) return std::nullopt;
  NvrtcFacts facts;
  std::istringstream in(*answer);
  in >> facts.major >> facts.minor;
  std::getline(in, facts.headers_version);
  std::getline(in, facts.headers_version);
  for (int one = 0; in >> one;) facts.architectures.push_back(one);
  return facts;
}

void keep_facts(const std::string& files, const NvrtcFacts& facts) {
  if (files.empty()) return;
  keep_answer(kKept, files,
              fmt::format("{} {}\n{}\n{}", facts.major, facts.minor, facts.headers_version,
                          fmt::join(facts.architectures, " ")));
}

std::optional<FoundLibrary> try_open(const std::string& name, const std::string& cuda_home,
                                     std::vector<std::string>& log) {
  if (name.find('/') != std::string::npos) {
    if (auto facts = known_facts(files_behind(name, toolkit_folders(name, cuda_home))))
      return FoundLibrary{name, nullptr, std::move(facts)};
  }
  FoundLibrary found;
  found.library = open_library(name);
  if (found.library == nullptr) {
    log.push_back(fmt::format("{}: {}", name, loader_error()));
    return std::nullopt;
  }
  found.path = name;
  if (name.find('/') == std::string::npos) {
    link_map* map = nullptr;
    if (dlinfo(found.library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr)
      found.path = map->l_name;
    open_builtins_beside(found.path);
  }
  log.push_back(fmt::format("{}: opened {}", name, found.path));
  return found;
}

std::optional<FoundLibrary> try_home(const fs::path& home, const std::string& cuda_home,
                                     std::vector<std::string>& log) {
  const std::vector<fs::path> libraries = libraries_below(home);
  if (libraries.empty()) log.push_back(fmt::format("{}: no libnvrtc below it", home.string()));
  for (const fs::path& library : libraries) {
    if (auto found = try_open(fs::absolute(library).string(), cuda_home, log)) return found;
  }
  return std::nullopt;
}

// A place that the user named is used or refused, never passed over silently.
std::optional<FoundLibrary> search_for(const NvrtcSearch& search, std::vector<std::string>& log) {
  const std::string& home = search.cuda_home;
  if (!search.library.empty()) return try_open(fs::absolute(search.library).string(), home, log);
  if (!home.empty()) return try_home(home, home, log);
  if (!search.deps.empty()) {
    if (auto found = try_home(search.deps, home, log)) return found;
  }
  if (search.loader_path) {
    for (const std::string& name : library_names()) {
      if (auto found = try_open(name, home, log)) return found;
    }
  }
  for (const std::string& pattern : search.system) {
    for (const fs::path& one : homes_like(pattern)) {
      if (auto found = try_home(one, home, log)) return found;
    }
  }
  return std::nullopt;
}

NvrtcTable table_of(void* library, const std::string& path) {
  NvrtcTable table;
  std::vector<std::string> missing;
#define NVRTC_FUNCTION(name)                                                  \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name)); \
  if (table.name == nullptr) missing.emplace_back(#name);
#include "compiler/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  if (!missing.empty()) {
    throw environment_error(
        fmt::format("{} is no usable NVRTC: it lacks {}", path, join(missing, ", ")), remedy());
  }
  return table;
}

std::vector<int> architectures_of(const NvrtcTable& table) {
  constexpr int most = 1000;  // far more than there are; a broken library may give any number
  int count = 0;
  if (table.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0 || count > most)
    return {};
  std::vector<int> supported(most);  // also for one that writes more than it announced
  if (table.nvrtcGetSupportedArchs(supported.data()) != NVRTC_SUCCESS) return {};
  supported.resize(static_cast<size_t>(count));
  return supported;
}

NvrtcFacts facts_of(const NvrtcTable& table, const std::string& path,
                    const std::vector<std::string>& folders) {
  NvrtcFacts facts;
  if (table.nvrtcVersion(&facts.major, &facts.minor) != NVRTC_SUCCESS)
    throw environment_error(fmt::format("{} does not report its version", path), remedy());
  facts.architectures = architectures_of(table);
  if (!folders.empty()) facts.headers_version = headers_version(folders.front());
  return facts;
}

}  // namespace

std::vector<std::string> toolkit_folders(const fs::path& library, const std::string& cuda_home) {
  std::vector<fs::path> candidates;
  for (const char* relative :
       {"../include", "../../include", "../targets/x86_64-linux/include",
        "../../../targets/x86_64-linux/include", "../../cuda_runtime/include"}) {
    candidates.push_back(library.parent_path() / relative);
  }
  if (!cuda_home.empty()) candidates.push_back(fs::path(cuda_home) / "include");
  for (const fs::path& candidate : candidates) {
    std::error_code code;
    const fs::path found = fs::weakly_canonical(candidate, code);
    // Any header of the toolkit proves the folder; /usr/include alone does not.
    if (code || !fs::exists(found / "cuda_runtime.h", code)) continue;
    std::vector<std::string> out{found.string()};
    if (fs::is_directory(found / "cccl", code)) out.push_back((found / "cccl").string());
    if (found.parent_path().filename() != "cuda_runtime") return out;
    // Wheels of CUDA 12 have the rest in folders of their own: crt/, the C++ library, cuRAND.
    for (const char* part : {"cuda_crt", "cuda_nvcc", "cuda_cccl", "curand"}) {
      const fs::path folder = found.parent_path().parent_path() / part / "include";
      if (fs::is_directory(folder, code)) out.push_back(folder.string());
    }
    return out;
  }
  return {};
}

NvrtcSearch NvrtcSearch::from_environment() {
  NvrtcSearch search;
  search.library = variable("WARPMARK_NVRTC");
  search.cuda_home = variable("WARPMARK_CUDA_HOME");
  search.deps = own_places().cuda.string();
  return search;
}

Nvrtc::Nvrtc(std::string path, std::vector<std::string> include_folders, NvrtcFacts facts,
             std::optional<NvrtcTable> table)
    : path_(std::move(path)),
      include_folders_(std::move(include_folders)),
      facts_(std::move(facts)),
      table_(table) {
  // 12.4 is the oldest that the project is tested with.
  if (std::pair(major(), minor()) < std::pair(12, 4)) {
    throw environment_error(
        fmt::format("{} is NVRTC {}; Warpmark needs 12.4 or newer", path_, version()), remedy());
  }
}

std::shared_ptr<const Nvrtc> Nvrtc::from_table(const NvrtcTable& table, std::string name,
                                               std::vector<std::string> include_folders) {
  NvrtcFacts facts = facts_of(table, name, include_folders);
  return std::shared_ptr<const Nvrtc>(
      new Nvrtc(std::move(name), std::move(include_folders), std::move(facts), table));
}

std::shared_ptr<const Nvrtc> Nvrtc::open(const NvrtcSearch& search) {
  std::vector<std::string> log;
  const std::optional<FoundLibrary> found = search_for(search, log);
  if (!found)
    throw environment_error("there is no NVRTC; looked at\n    " + join(log, "\n    "), remedy());
  std::vector<std::string> folders = toolkit_folders(found->path, search.cuda_home);
  if (found->facts) {
    return std::shared_ptr<const Nvrtc>(
        new Nvrtc(found->path, std::move(folders), *found->facts, std::nullopt));
  }
  const std::string files = files_behind(found->path, folders);
  auto opened = from_table(table_of(found->library, found->path), found->path, std::move(folders));
  // A library that changed meanwhile is opened again.
  if (files_behind(found->path, opened->include_folders()) == files)
    keep_facts(files, opened->facts_);
  return opened;
}

const NvrtcTable& Nvrtc::table() const {
  std::call_once(opening_, [this] {
    if (table_) return;
    void* library = open_library(path_);
    if (library == nullptr)
      throw environment_error(fmt::format("{}: {}", path_, loader_error()), remedy());
    table_ = table_of(library, path_);
  });
  return *table_;
}

std::string Nvrtc::version() const {
  return fmt::format("{}.{}", major(), minor());
}

std::string Nvrtc::fingerprint() const {
  std::error_code code;
  const uintmax_t bytes = fs::file_size(path_, code);
  return fmt::format("{} of {} bytes, headers {}", version(), code ? 0 : bytes,
                     include_folders_.empty() ? "none" : facts_.headers_version);
}

void Nvrtc::check_architecture(const Architecture& architecture) const {
  const std::vector<int>& supported = facts_.architectures;
  if (supported.empty()) return;
  const bool known =
      std::find(supported.begin(), supported.end(), architecture.number) != supported.end();
  // NVRTC lists numbers only. It has the `a` of each from sm_90 on (seen with 12.4 to 13.0).
  const bool knows_families = std::pair(major(), minor()) >= std::pair(12, 9);
  if (known && (architecture.suffix != 'f' || knows_families)) return;
  std::vector<std::string> names;
  names.reserve(supported.size());
  for (const int one : supported) names.push_back(fmt::format("sm_{}", one));
  const char* hint = "it needs a newer NVRTC, if there is such an architecture: set WARPMARK_NVRTC";
  if (known)
    hint = "families need NVRTC 12.9 or newer: set WARPMARK_NVRTC";
  else if (architecture.number < supported.front())
    hint = "a GPU this old needs NVRTC of CUDA 12: set WARPMARK_NVRTC";
  else if (architecture.number > supported.back())
    hint = "a GPU this new needs a newer NVRTC: set WARPMARK_NVRTC";
  throw environment_error(fmt::format("NVRTC {} ({}) cannot compile for {}; it can for {}",
                                      version(), path_, architecture.name(), join(names, ", ")),
                          hint);
}

}  // namespace warpmark
