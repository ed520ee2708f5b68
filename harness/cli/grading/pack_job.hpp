// The runs behind `warpmark pack`: an autograder, an audit, a students' repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/program/output.hpp"
#include "grade/pack/audit.hpp"
#include "grade/pack/pack.hpp"

namespace warpmark {

struct PackRequest {
  std::filesystem::path assignment;
  std::filesystem::path out;
  bool list = false;
  GradescopePack gradescope;
  HandoutOptions handout;
  std::vector<std::string> wheels;
  std::string python;
  AuditRequest audit;
};

/// Each writes the archive or folder and prints what is in it; `list` only prints. They throw what
/// grading such an assignment would, and usage errors for files that cannot go along.
ExitCode pack_gradescope(const PackRequest& request, Output& out);
ExitCode pack_audit(const PackRequest& request, Output& out);
ExitCode pack_github(const PackRequest& request, Output& out);

/// Writes what students get, proves it where it is, keeps it, and prints its files and warnings.
ExitCode write_handout(Handout made, const Assignment& assignment, const HandoutOptions& options,
                       FolderDraft& draft, LazyPython& python, Output& out);

}  // namespace warpmark
