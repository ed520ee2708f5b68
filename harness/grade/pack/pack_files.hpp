// Selects the files of an archive: those of an assignment, and those of this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/nvrtc.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "python/zip_writer.hpp"

namespace warpmark {

/// Files below `folder` of the archive, with their relative paths kept.
struct PackedAssignment {
  std::string file;  ///< the assignment's path in the archive
  std::vector<PackedFile> files;
};

/// The assignment, its suites, and all files that they name: kernels, headers, Python files,
/// solutions of its self-tests; and `more`, files and folders that the course's Python files read.
/// A symbolic link counts as its target, within the assignment's folder; throws a usage error for a
/// target outside of it.
PackedAssignment pack_assignment(const Assignment& assignment,
                                 const std::vector<std::filesystem::path>& more,
                                 const std::string& folder);

/// This program with all files that grading on the CPU device needs, as an installation below a
/// folder.
struct PackedProgram {
  std::string
      program;  ///< the path in the archive of the program; of a package's worker if it is a
                ///< package
  std::string package;  ///< the Python code to run for a package; else ""
  std::vector<PackedFile> files;
};

/// NVRTC is packed with those of its headers that submissions to the assignment may include, and
/// those that the course's own sources, `own`, include. Throws an environment error for a package
/// of Python that is not installed.
PackedProgram pack_program(const Nvrtc& nvrtc, const Assignment& assignment,
                           const std::vector<PackedFile>& own, const std::string& folder);

constexpr unsigned kScriptMode = 0755;

/// The course's secret, for its owner alone. Throws usage errors.
PackedFile packed_secret(const std::filesystem::path& file);

/// The data of the two that scripts need.
PackScripts scripts_of(const PackedProgram& program, const PackedAssignment& assignment);

}  // namespace warpmark
