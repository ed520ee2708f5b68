#include "compiler/assembler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/loader.hpp"
#include "base/text.hpp"
#include "compiler/compiler.hpp"

namespace warpmark {

struct AssemblerTable {
#define NVJITLINK_FUNCTION(member, symbol, ...) int (*member)(__VA_ARGS__) = nullptr;
#include "compiler/nvjitlink_functions.def"
#undef NVJITLINK_FUNCTION
};

namespace {

namespace fs = std::filesystem;

constexpr int kPtx = 2;  // NVJITLINK_INPUT_PTX
constexpr std::array kLibraries = {"libnvJitLink.so.13", "libnvJitLink.so.12"};

void add_files(const fs::path& folder, std::vector<std::string>& files) {
  for (const char* name : kLibraries) {
    std::error_code code;
    if (fs::exists(folder / name, code)) files.push_back((folder / name).string());
  }
}

// NVIDIA's wheels in a virtual environment, or in a prefix with a Python.
void add_wheels(const fs::path& environment, std::vector<std::string>& files) {
  std::error_code code;
  for (const auto& python : fs::directory_iterator(environment / "lib", code)) {
    if (!python.path().filename().string().starts_with("python")) continue;
    for (const char* wheel : {"nvidia/cu13/lib", "nvidia/nvjitlink/lib"}) {
      add_files(python.path() / "site-packages" / wheel, files);
    }
  }
}

std::vector<std::string> candidates() {
  std::vector<std::string> files;
  // The kernels are those of this environment, whose PTX an older toolkit may not know.
  if (const char* active = std::getenv("VIRTUAL_ENV"); active != nullptr && *active != '\0') {
    add_wheels(active, files);
  }
  for (const char* variable : {"WARPMARK_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home == nullptr || *home == '\0') continue;
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "cu13/lib"}) {
      add_files(fs::path(home) / folder, files);
    }
  }
  for (const char* name : kLibraries) files.emplace_back(name);
  for (const char* folder : {"lib64", "lib"})
    add_files(fs::path("/usr/local/cuda") / folder, files);
  return files;
}

// A link in the making. Its log is read before it is destroyed.
class Link {
 public:
  Link(const AssemblerTable& table, std::vector<const char*> options) : table_(table) {
    failed_ = table_.create(&link_, static_cast<uint32_t>(options.size()), options.data());
  }
  ~Link() {
    if (link_ != nullptr) table_.destroy(&link_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool make(const std::string& ptx, const std::string& name) {
    if (failed_ == 0) failed_ = table_.add_data(link_, kPtx, ptx.data(), ptx.size(), name.c_str());
    if (failed_ == 0) failed_ = table_.complete(link_);
    return failed_ == 0;
  }
  int failed() const { return failed_; }
  std::string error() const { return text(table_.error_size, table_.error); }
  std::string info() const { return text(table_.info_size, table_.info); }
  std::string cubin() const {
    size_t bytes = 0;
    if (table_.cubin_size(link_, &bytes) != 0) return "";
    std::string code(bytes, '\0');
    return table_.cubin(link_, code.data()) == 0 ? code : "";
  }

 private:
  std::string text(int (*size)(void*, size_t*), int (*get)(void*, char*)) const {
    size_t bytes = 0;
    if (link_ == nullptr || size(link_, &bytes) != 0) return "";
    std::string made(bytes + 1, '\0');
    if (get(link_, made.data()) != 0) return "";
    return made.substr(0, made.find('\0'));
  }

  const AssemblerTable& table_;
  void* link_ = nullptr;
  int failed_ = 0;
};

// PTX for one architecture alone ("sm_90a") becomes machine code for that one, which Triton writes
// whatever it is asked for; other PTX that of the device.
std::string target_of(std::string_view ptx, const Architecture& architecture) {
  constexpr std::string_view kTarget = ".target sm_";
  const size_t at = ptx.find(kTarget);
  if (at == std::string_view::npos) return architecture.name();
  const size_t begin = at + kTarget.size() - 3;
  const size_t end = ptx.find_first_not_of("0123456789", begin + 3);
  if (end == std::string_view::npos || (ptx[end] != 'a' && ptx[end] != 'f')) {
    return architecture.name();
  }
  return std::string(ptx.substr(begin, end + 1 - begin));
}

// The log without the linker's own lines, which say once more what those of ptxas do.
std::string of_ptxas(const std::string& log) {
  std::vector<std::string> lines = split(log, '\n');
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("info "); });
  return join(lines, "\n");
}

}  // namespace

std::string Assembler::find() {
  for (const std::string& file : candidates()) {
    if (void* library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL); library != nullptr) {
      dlclose(library);
      return file;
    }
  }
  return "";
}

std::shared_ptr<const Assembler> Assembler::open(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw environment_error("nvJitLink cannot be opened: " + loader_error());
  auto table = std::make_shared<AssemblerTable>();
#define NVJITLINK_FUNCTION(member, symbol, ...)                                     \
  table->member = reinterpret_cast<decltype(table->member)>(dlsym(opened, symbol)); \
  if (table->member == nullptr)                                                     \
    throw environment_error(fmt::format("{} has no {}", library, symbol));
#include "compiler/nvjitlink_functions.def"
#undef NVJITLINK_FUNCTION
  return std::shared_ptr<const Assembler>(new Assembler(std::move(table)));
}

Assembler::Code Assembler::assemble(const std::string& ptx, const Architecture& architecture,
                                    const std::string& name) const {
  const std::string target = "-arch=" + target_of(ptx, architecture);
  Link link(*table_, {target.c_str(), "-lineinfo", "-verbose"});
  const bool made = link.make(ptx, name);
  Code code{made ? link.cubin() : "", of_ptxas(link.info())};
  if (!code.cubin.empty()) return code;
  std::string said(trim(link.error() + "\n" + (made ? "" : code.log)));
  if (said.empty()) said = fmt::format("nvJitLink refuses it (error {})", link.failed());
  throw RefusedError(name + " is not assembled", said, Position{});
}

}  // namespace warpmark
