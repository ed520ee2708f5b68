#include "cli/grading/pack_job.hpp"

#include "base/file.hpp"
#include "cli/grading/grade_lint.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// Prints each file's bytes and place, and their sum.
void print_list(const std::vector<PackedFile>& files, Output& out) {
  uintmax_t all = 0;
  for (const PackedFile& file : files) {
    const uintmax_t bytes = file.source.empty() ? file.text.size() : fs::file_size(file.source);
    out.print("{:>10} {}\n", bytes, file.place);
    all += bytes;
  }
  out.print("{:>10} bytes in {} files\n", all, files.size());
}

void write_archive(const PackRequest& request, const std::string& name,
                   const std::vector<PackedFile>& files, LazyPython& python, Output& out) {
  const fs::path archive = request.out.empty() ? fs::path(name) : request.out;
  write_zip(python.interpreter(), archive, files);
  out.print("{}: {} files, {:.0f} MB\n", display_path(archive), files.size(),
            static_cast<double>(fs::file_size(archive)) / 1e6);
}

}  // namespace

ExitCode pack_gradescope(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files = gradescope_files(*assignment, request.gradescope);
  if (request.list) {
    print_list(files, out);
    return ExitCode::success;
  }
  // Once, here: not for each submission. Self-tests run where the image is made.
  require_lint(*assignment, python, "cpu", nullptr, out);
  write_archive(request, assignment->id + "-gradescope.zip", files, python, out);
  return ExitCode::success;
}

ExitCode pack_audit(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files =
      audit_files(*assignment, request.audit,
                  [&](const std::string& text) { print_error(out, "warning: " + text); });
  if (request.list) {
    print_list(files, out);
  } else {
    write_archive(request, assignment->id + "-audit.zip", files, python, out);
  }
  return ExitCode::success;
}

ExitCode pack_github(const PackRequest& request, Output& out) {
  HandoutOptions options = request.handout;
  for (const std::string& wheel : request.wheels) options.wheels.push_back(read_wheel(wheel));
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  Handout made = make_repository(*assignment, options, request.python, python.interpreter());
  const fs::path folder = request.out.empty() ? fs::path(assignment->id) : request.out;
  if (request.list) {
    for (const auto& [place, text] : made.files) out.print("{:>10} {}\n", text.size(), place);
    return ExitCode::success;
  }
  FolderDraft draft(folder);
  return write_handout(std::move(made), *assignment, options, draft, python, out);
}

ExitCode write_handout(Handout made, const Assignment& assignment, const HandoutOptions& options,
                       FolderDraft& draft, LazyPython& python, Output& out) {
  for (const auto& [place, text] : made.files) write_file_atomically(draft.path() / place, text);
  const std::string warning = prove_handout(assignment, draft.path(), options, python.interpreter(),
                                            python.list_evaluator());
  if (!warning.empty()) made.warnings.push_back(warning);
  draft.keep();
  const std::string folder = display_path(draft.folder());
  for (const auto& [place, text] : made.files) out.print("{}/{}\n", folder, place);
  out.flush();
  for (const std::string& text : made.warnings) print_error(out, "warning: " + text);
  return ExitCode::success;
}

}  // namespace warpmark
