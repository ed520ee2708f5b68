// Writes a suite for each kernel of one or more files.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/draft/source_kernels.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

/// The treatment of files that are there already.
enum class ExistingFiles : uint8_t { refuse, keep, overwrite };

struct SuiteWriterRequest {
  std::vector<KernelSource> sources;
  std::filesystem::path file;  ///< the one suite, "" to name each after its kernel
  bool many = false;           ///< the sources come from a list, in which files may have no kernel
  ExistingFiles existing = ExistingFiles::refuse;
};

/// Writes the suites, prints their names and says what to do next. No file is written if another
/// one is in the way, or if no kernel can be drafted (usage errors).
void write_suites(const SuiteWriterRequest& request, Output& out);

/// Prints the kernels of each source with the option that chooses them.
void list_kernels(const SuiteWriterRequest& request, Output& out);

}  // namespace warpmark
