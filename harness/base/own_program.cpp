#include "base/own_program.hpp"

#include <unistd.h>

#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The file that runs, whatever its name leads to by now.
constexpr const char* kRunningFile = "/proc/self/exe";

std::optional<OwnProgram>& given() {
  static std::optional<OwnProgram> program;
  return program;
}

OwnProgram of_this_process() {
  std::error_code code;
  const fs::path file = fs::read_symlink(kRunningFile, code);
  if (code) {
    throw environment_error(std::string("cannot find the folder of this program: ") + kRunningFile +
                                ": " + code.message(),
                            "Warpmark needs /proc, which containers and chroots have to mount");
  }
  // The worker without Python starts in a quarter of the program's time. A copy of the program alone
  // is its own worker.
  const fs::path worker = file.parent_path() / "warpmark-worker";
  const bool is_there = ::access(worker.c_str(), X_OK) == 0;
  return {kRunningFile, {}, is_there ? worker.string() : kRunningFile, file.parent_path(), {}};
}

}  // namespace

const OwnProgram& own_program() {
  if (given()) return *given();
  static const OwnProgram program = of_this_process();
  return program;
}

void set_own_program(OwnProgram program) {
  given() = std::move(program);
}

std::vector<std::string> own_arguments() {
  if (given() && !given()->arguments.empty()) return given()->arguments;
  std::string words = read_file("/proc/self/cmdline");
  if (!words.empty()) words.pop_back();  // each is ended by a null byte
  return split(words, '\0');
}

}  // namespace warpmark
