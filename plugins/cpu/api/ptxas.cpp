// Registers of kernels by a real ptxas (WARPMARK_CPU_REGISTERS), whose answers are kept in the folder
// of Warpmark's cache: it may take minutes for a large module.
#include "api/ptxas.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

extern char** environ;

namespace warpmark::cpu {
namespace {

const char* ptxas_path() {
  const char* path = std::getenv("WARPMARK_CPU_REGISTERS");
  return path != nullptr && *path != '\0' ? path : nullptr;
}

// The folder that `warpmark cache` tells of, too; "" if there is none.
std::string cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (std::string own = variable("WARPMARK_CACHE_DIR"); !own.empty()) return own;
  if (std::string xdg = variable("XDG_CACHE_HOME"); xdg.starts_with('/')) return xdg + "/warpmark";
  std::string home = variable("HOME");
  return home.empty() ? home : home + "/.cache/warpmark";
}

// FNV-1a from two beginnings.
std::string digest_of(std::string_view text) {
  std::string digest;
  for (std::uint64_t hash : {0xcbf29ce484222325, 0x84222325cbf29ce4}) {
    for (const char byte : text) {
      hash ^= static_cast<unsigned char>(byte);
      hash *= 0x100000001b3;
    }
    char number[17];
    std::snprintf(number, sizeof number, "%016llx", static_cast<unsigned long long>(hash));
    digest += number;
  }
  return digest;
}

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

// Lines of a number and a kernel.
std::optional<Registers> kept(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) return std::nullopt;
  Registers registers;
  char kernel[4096];
  for (unsigned count = 0; std::fscanf(file.get(), "%u %4095s", &count, kernel) == 2;)
    registers[kernel] = count;
  return registers;
}

void keep(const std::string& path, const Registers& registers) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0755);
  const std::string made = path + "." + std::to_string(getpid());
  {
    const File file(std::fopen(made.c_str(), "we"));
    if (!file) return;
    for (const auto& [kernel, count] : registers)
      std::fprintf(file.get(), "%u %s\n", count, kernel.c_str());
    if (std::fflush(file.get()) != 0) return;
  }
  std::rename(made.c_str(), path.c_str());
}

// The text that the program prints, and whether it was content.
struct Answer {
  std::string text;
  bool good = false;
};

Answer run(const char* program, std::string_view input, const std::string& target) {
  Answer answer;
  int answers[2];
  const int file = memfd_create("warpmark-ptx", MFD_CLOEXEC);
  if (file < 0 || pipe2(answers, O_CLOEXEC) != 0) return answer;
  for (std::size_t at = 0; at < input.size();) {
    const ssize_t written = write(file, input.data() + at, input.size() - at);
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
  lseek(file, 0, SEEK_SET);
  constexpr int kInput = 100;  // a copy that the program keeps
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file, kInput);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDERR_FILENO);
  std::string arch = "-arch=" + target, path = "/proc/self/fd/" + std::to_string(kInput);
  char verbose[] = "-v", to[] = "-o", nowhere[] = "/dev/null";
  std::string name = program;
  char* arguments[] = {name.data(), verbose, arch.data(), path.data(), to, nowhere, nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(answers[1]);
  close(file);
  char buffer[4096];
  for (ssize_t size = 0; failed == 0 && (size = read(answers[0], buffer, sizeof buffer)) > 0;)
    answer.text.append(buffer, static_cast<std::size_t>(size));
  close(answers[0]);
  int status = 0;
  answer.good = failed == 0 && waitpid(child, &status, 0) == child && status == 0;
  return answer;
}

// "Compiling entry function 'k' for 'sm_90'" and later "Used 8 registers".
Registers read_answer(const std::string& text) {
  constexpr std::string_view kEntry = "Compiling entry function '", kUsed = "Used ";
  Registers registers;
  std::string kernel;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + kEntry.size());
      kernel = rest.substr(0, rest.find('\''));
    } else if (const std::size_t used = line.find(kUsed);
               used != std::string_view::npos && !kernel.empty()) {
      std::uint32_t count = 0;
      const char* const first = line.data() + used + kUsed.size();
      if (std::from_chars(first, line.data() + line.size(), count).ec == std::errc())
        registers[kernel] = count;
      kernel.clear();
    }
  }
  return registers;
}

}  // namespace

bool asks_ptxas() {
  return ptxas_path() != nullptr;
}

Registers registers_by_ptxas(std::string_view text, std::string_view target) {
  const char* const program = ptxas_path();
  if (program == nullptr) return {};
  struct stat facts {};
  stat(program, &facts);
  std::string key(text);
  key += std::string(target) + program + ' ' + std::to_string(facts.st_size) + ' ' +
         std::to_string(facts.st_mtime);
  const std::string folder = cache_folder(), file = folder + "/registers/" + digest_of(key);
  if (!folder.empty())
    if (std::optional<Registers> known = kept(file)) return *known;
  const Answer answer = run(program, text, std::string(target));
  if (!answer.good) {
    std::fprintf(stderr, "WARPMARK_CPU_REGISTERS: %s gives no registers: %s\n", program,
                 answer.text.empty() ? "it does not start"
                                     : answer.text.substr(0, answer.text.find('\n')).c_str());
    return {};
  }
  Registers registers = read_answer(answer.text);
  if (!folder.empty()) keep(file, registers);
  return registers;
}

}  // namespace warpmark::cpu
