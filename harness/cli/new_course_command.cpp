// `warpmark new course`: a small course to go on from, with one assignment that works.
#include <memory>

#include "base/file.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/new_kinds.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

ExitCode make_course(const fs::path& folder, Output& out) {
  FolderDraft draft(folder);
  const fs::path schemas = own_places().schemas;
  const fs::path assignment = draft.folder() / "doublify";
  draft.make("course",
             {{"assignment_schema", schema_line(schemas, "assignment", assignment)},
              {"suite_schema", schema_line(schemas, "suite", assignment)}},
             out);
  out.print("next: read {}/README.md\n", display_path(draft.folder()));
  return ExitCode::success;
}

}  // namespace

Command new_course_command(const ArgumentParser& kinds) {
  const auto folder = std::make_shared<fs::path>();
  const ArgumentParser course = kinds.add_subcommand(
      "course", "Write a folder with an assignment that works, and the commands of a term");
  course.add_option("DIR", *folder, "The folder to write, which is not there yet")
      .required()
      .value_name("");
  return {course, [folder](Output& out) { return make_course(*folder, out); }};
}

}  // namespace warpmark
