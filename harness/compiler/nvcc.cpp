#include "compiler/nvcc.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include "base/cuda_program.hpp"
#include "base/file.hpp"
#include "base/spawn.hpp"
#include "compiler/compiler_log.hpp"
#include "compiler/suite_options.hpp"
#include "compiler/toolkit_headers.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// nvcc's own options where NVRTC's have other names.
std::vector<std::string> options_of(const CompileRequest& request) {
  const SuiteOptions given = suite_options(request.options);
  std::vector<std::string> options = {"-arch=" + request.architecture.name(),
                                      "-std=" + given.standard, "-lineinfo", "-Xptxas", "-v"};
  if (request.relocatable) options.emplace_back("-rdc=true");
  for (const auto& [macro, value] : request.defines) {
    options.push_back(fmt::format("-D{}={}", macro, value));
  }
  for (const fs::path& folder : request.include_folders) options.push_back("-I" + folder.string());
  options.insert(options.end(), given.further.begin(), given.further.end());
  return options;
}

// The PTX that nvcc keeps on its way to the cubin: "x.ptx", whatever it puts before the ending.
std::string kept_ptx(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") return read_file(entry.path());
  }
  throw environment_error("nvcc kept no PTX");
}

// nvcc 13 and nvcc 12.
bool lacks_architecture(const std::string& log) {
  return log.find("Unsupported gpu architecture") != std::string::npos ||
         log.find("is not defined for option 'gpu-architecture'") != std::string::npos;
}

}  // namespace

CompileResult compile_by_nvcc(const CompileRequest& request) {
  const std::optional<std::string> nvcc = find_cuda_program("nvcc");
  if (!nvcc) {
    throw environment_error(
        "the suite wants nvcc, which is neither in PATH nor below WARPMARK_CUDA_HOME or "
        "/usr/local/cuda",
        "install the CUDA toolkit, or leave `compiler` out to compile with NVRTC");
  }
  const TemporaryFolder folder("warpmark-nvcc");
  const fs::path cubin = folder.path() / "kernel.cubin";
  const fs::path log = folder.path() / "log";
  std::vector<std::string> words = {*nvcc,         "-cubin", "--keep", "--keep-dir",
                                    folder.path(), "-o",     cubin};
  for (std::string& option : options_of(request)) words.push_back(std::move(option));
  words.push_back(fs::absolute(request.folder / request.name).lexically_normal().string());
  SpawnOptions options;
  const int flags = O_WRONLY | O_CREAT | O_APPEND;
  options.descriptors = {{0, -1, "/dev/null", O_RDONLY, 0},
                         {1, -1, log.string(), flags, 0600},
                         {2, -1, log.string(), flags, 0600}};
  const int status = await_exit(spawn("nvcc", *nvcc, words, options));
  CompileResult result;
  result.log = clean_compiler_log(without_folder(read_file(log), request.folder));
  const bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!done && lacks_architecture(result.log)) {
    throw environment_error(
        fmt::format("{} cannot compile for {}", *nvcc, request.architecture.name()),
        fmt::format("`{} --list-gpu-code` shows for what it can; a newer toolkit knows newer ones",
                    *nvcc));
  }
  if (!done) {
    throw RefusedError(request.name + " does not compile", result.log, first_error_in(result.log),
                       hint_at_missing_header(result.log));
  }
  result.cubin = read_file(cubin);
  result.ptx = without_folder(kept_ptx(folder.path()), request.folder);
  result.not_cacheable = "nvcc alone knows which files it reads";
  return result;
}

}  // namespace warpmark
