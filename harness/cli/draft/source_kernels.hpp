// The kernels of a .cu file, ready to be drafted as suites.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/draft/draft_kernel.hpp"
#include "compiler/compiler.hpp"

namespace warpmark {

/// A file with kernels, and how it is compiled.
struct KernelSource {
  std::filesystem::path file;                  ///< whole path
  std::filesystem::path folder;                ///< of the suites, to which their paths are relative
  std::vector<std::string> entries;            ///< the wanted kernels; empty for all
  std::vector<std::filesystem::path> include;  ///< folders of headers, whole paths
  std::vector<std::string> options;            ///< of the compiler, macros as well
  std::string arch = {};                       ///< as the suite's `arch`; "" for none

  /// The file as suites in the folder name it.
  std::string relative() const { return file.lexically_relative(folder).generic_string(); }
};

struct SourceKernels {
  std::vector<DraftKernel> kernels;
  std::vector<std::string> left_out;  ///< why others have no draft, a sentence for each
};

/// Compiles the file and describes its kernels. Templates without an instance get guessed
/// arguments, as far as the compiler takes them. Throws as Compiler::compile does, and a verdict or
/// usage error for a wanted kernel that the file has not.
SourceKernels source_kernels(const Compiler& compiler, const KernelSource& source);

}  // namespace warpmark
