// Which files go into an archive: those of an assignment, and those of this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/nvrtc.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "python/zip_writer.hpp"

namespace warpmark {

/// Files below `folder` of the archive, as they lie to each other.
struct PackedAssignment {
  std::string file;  ///< the assignment's place in the archive
  std::vector<PackedFile> files;
};

/// The assignment, its suites, and all that they name: kernels, headers, Python files, solutions of
/// its self-tests; and `more`, files and folders that the course's Python files read. A symbolic
/// link counts as what it leads to, within the assignment's folder; throws a usage error for another.
PackedAssignment pack_assignment(const Assignment& assignment,
                                 const std::vector<std::filesystem::path>& more,
                                 const std::string& folder);

/// This program with what grading on the CPU device needs, as an installation below a folder.
struct PackedProgram {
  std::string
      program;  ///< the place in the archive of what is run: the program; of a package, its worker
  std::string package;  ///< of a package of Python, what Python is to run there; else ""
  std::vector<PackedFile> files;
};

/// NVRTC comes along with those of its headers that submissions to the assignment may include, and
/// those that the course's own sources, `own`, do. Throws an environment error for a package of
/// Python that is not installed.
PackedProgram pack_program(const Nvrtc& nvrtc, const Assignment& assignment,
                           const std::vector<PackedFile>& own, const std::string& folder);

constexpr unsigned kScriptMode = 0755;

/// The course's secret, for its owner alone. Throws usage errors.
PackedFile packed_secret(const std::filesystem::path& file);

/// What scripts say of the two.
PackScripts scripts_of(const PackedProgram& program, const PackedAssignment& assignment);

}  // namespace warpmark
