// How a project's build compiles its .cu files, by its compile_commands.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpmark {

/// The part of a compile command that NVRTC can follow.
struct CompileCommand {
  std::filesystem::path file;                  ///< whole path
  std::vector<std::filesystem::path> include;  ///< folders of headers, whole paths
  std::vector<std::string> options;            ///< macros, the standard and what changes arithmetic
};

/// Reads the commands for .cu files of a compilation database, in its order, each file once.
/// `path` is the file or its folder. Options of nvcc that only choose architectures, warnings or
/// outputs are left out. Throws a usage error for a file that is none, or that has no .cu file.
/// Format: https://clang.llvm.org/docs/JSONCompilationDatabase.html
std::vector<CompileCommand> read_compile_commands(const std::filesystem::path& path);

/// The words of a command as a POSIX shell splits them, without expansions.
std::vector<std::string> shell_words(const std::string& command);

}  // namespace warpmark
