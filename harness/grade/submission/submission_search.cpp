#include "grade/submission/submission_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/submission/gradescope.hpp"
#include "grade/submission/notebook.hpp"
#include "grade/submission/platform_name.hpp"
#include "grade/submission/student_name.hpp"
#include "grade/submission/submission_choice.hpp"
#include "grade/submission/submission_names.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The most levels of folders and archives: deeper ones hold no homework.
constexpr int kMostLevels = 8;

std::string name_of(const fs::path& path) {
  return student_name(path.filename().string());
}

bool has_extension(const fs::path& path, std::string_view wanted) {
  return lower_case(path.extension().string()) == wanted;
}

bool is_zip(const fs::path& path) {
  return has_extension(path, ".zip");
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".") || path.filename() == "__MACOSX";
}

bool is_link(const fs::path& path) {
  std::error_code code;
  return fs::is_symlink(fs::symlink_status(path, code));
}

// Sorts entries by name, so that the result does not depend on the file system.
std::vector<fs::directory_entry> entries(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::directory_entry> found;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (!is_hidden(entry->path())) found.push_back(*entry);
  }
  if (code) {
    throw usage_error(
        fmt::format("cannot read the folder {}: {}", display_path(folder), code.message()));
  }
  std::ranges::sort(found);
  return found;
}

class Archives {
 public:
  explicit Archives(const SubmissionSearch& search) : search_(search) {}

  // The folder with the contents of an archive, and sentences about files that were left out;
  // nothing, and the reason, if it cannot be unpacked. It is unpacked once, however often it is
  // opened.
  std::optional<fs::path> open(const fs::path& archive, const std::string& name,
                               std::vector<std::string>& problems) {
    const auto [known, fresh] = opened_.try_emplace(archive);
    Opened& opened = known->second;
    if (fresh) {
      opened.folder = search_.scratch / std::to_string(opened_.size());
      opened.unpacked = search_.unpack(archive, opened.folder);
    }
    const std::string shown = printable(student_name(name));
    if (!opened.unpacked.problem.empty()) {
      problems.push_back(fmt::format("`{}` {}.", shown, printable(opened.unpacked.problem)));
      return std::nullopt;
    }
    for (const std::string& text : opened.unpacked.left_out) {
      problems.push_back(fmt::format("In `{}` {}.", shown, printable(text)));
    }
    return opened.folder;
  }

 private:
  struct Opened {
    fs::path folder;
    Unpacked unpacked;
  };

  const SubmissionSearch& search_;
  std::map<fs::path, Opened> opened_;
};

// Looks through folders and archives.
class Gatherer {
 public:
  Gatherer(Archives& archives, Handed& handed) : archives_(archives), handed_(handed) {}

  void take(const fs::path& path, const std::string& name, size_t depth = 0) {
    if (handed_.full()) {
      if (!was_full_)
        handed_.problems.push_back(
            fmt::format("Of all files the first {} were looked at.", Handed::kMostFiles));
      was_full_ = true;
      return;
    }
    std::error_code code;
    const bool followed = !is_link(path);
    if (followed && fs::is_directory(path, code)) return take_folder(path, name, depth + 1);
    if (followed && is_zip(path) && depth < kMostLevels) {
      const auto folder = archives_.open(path, name, handed_.problems);
      if (folder) take_folder(*folder, name, depth + 1);
      return;
    }
    handed_.add({path, name, depth});
  }

  void take_folder(const fs::path& folder, const std::string& name, size_t depth) {
    if (depth > kMostLevels) return;
    for (const fs::directory_entry& entry : entries(folder)) {
      const std::string own = entry.path().filename().string();
      take(entry.path(), name.empty() ? own : name + "/" + own, depth);
    }
  }

 private:
  Archives& archives_;
  Handed& handed_;
  bool was_full_ = false;
};

class Finder {
 public:
  Finder(const SubmissionSearch& search, const SubmissionRules& rules)
      : search_(search), rules_(rules), archives_(search) {}

  void look_at(const fs::path& path) {
    std::error_code code;
    require_path(path);
    const fs::path whole = fs::absolute(path).lexically_normal();
    const fs::path plain = whole.has_filename() ? whole : whole.parent_path();
    if (look_at_gradescope(plain)) return;
    if (fs::is_directory(path, code)) return look_at_folder(path, plain.filename().string());
    const bool is_ones_own = platform_name(path.filename().string(), false).has_value();
    if (is_zip(path) && !is_link(path) && !is_ones_own) return look_at_archive(path);
    look_at_file(path, plain);
  }

  // Takes all paths for one student.
  void take_all_of(const std::string& student, const std::vector<fs::path>& paths) {
    std::vector<HandedFile> parts;
    std::error_code code;
    for (const fs::path& path : paths) {
      require_path(path);
      parts.push_back({path, fs::is_directory(path, code) ? "" : path.filename().string()});
    }
    add_parts({student}, parts);
  }

  FoundSubmissions take() {
    for (const auto& [folder, parts] : named_) {
      for (SubmittedFile& file : add_parts({folder.filename().string()}, parts).files)
        file.header_folder = folder;
    }
    if (all_.empty()) {
      throw usage_error(
          "there is no submission: no `.cu` file, no archive and no student's folder", {},
          "each `NAME.cu` or `NAME.zip`, or each folder, in the folder that is named is a "
          "student's");
    }
    FoundSubmissions found;
    const std::set<size_t> rows = name_students(all_, search_.roster, found.unmatched);
    std::map<std::string, std::vector<Submission>> by_student;
    for (FoundEntry& entry : all_) {
      std::vector<Submission>& several = by_student[entry.submission.student];
      // A path given twice, as in `class class/ada`, counts once.
      const fs::path here = fs::absolute(entry.submission.path).lexically_normal();
      const bool known = std::ranges::any_of(several, [&](const Submission& one) {
        return fs::absolute(one.path).lexically_normal() == here;
      });
      if (!known) several.push_back(std::move(entry.submission));
    }
    for (auto& [student, several] : by_student) {
      found.all.push_back(several.size() == 1 ? std::move(several.front()) : twice(several));
      if (several.size() > 1)
        found.unmatched.push_back(fmt::format("`{}` handed in {} times, and none of these counts",
                                              printable(student), several.size()));
    }
    found.left_out = std::move(left_out_);
    if (search_.roster == nullptr) return found;
    for (size_t row = 0; row < search_.roster->students().size(); ++row) {
      if (!rows.contains(row) && !search_.roster->is_test_student(row))
        found.missing.push_back(search_.roster->students()[row]);
    }
    return found;
  }

 private:
  static void require_path(const fs::path& path) {
    std::error_code code;
    if (fs::exists(fs::symlink_status(path, code))) return;
    throw usage_error(fmt::format("there is no {}", display_path(path)), {},
                      "name files that were handed in, or a folder of them");
  }

  static std::optional<PlatformName> platform_name(const std::string& name, bool is_folder) {
    auto moodle = moodle_name(name);
    if (moodle && (is_folder || !moodle->file.empty())) return moodle;
    return is_folder ? std::nullopt : canvas_name(name);
  }
  static NamedStudent student_of(const PlatformName& name) {
    return {name.student, {name.id}, name.names};
  }

  // A student may give folders the names of others, so that no folder in a student's archive
  // identifies its student. All entries of an export have the platform's own form.
  static bool is_export(const fs::path& folder) {
    std::error_code code;
    if (fs::exists(folder / "submission_metadata.yml", code)) return true;
    const std::vector<fs::directory_entry> inside = entries(folder);
    return !inside.empty() && std::ranges::all_of(inside, [&](const fs::directory_entry& entry) {
      return platform_name(entry.path().filename().string(), entry.is_directory(code)).has_value();
    });
  }

  void look_at_archive(const fs::path& path) {
    std::vector<std::string> problems;
    const auto unpacked = archives_.open(path, path.filename().string(), problems);
    const std::string name = path.stem().string();
    const fs::path folder = unpacked ? whole_folder(*unpacked) : fs::path();
    // An incomplete download of a class must not become one student without a grade.
    if (!unpacked && (search_.is_class || search_.paths.size() == 1))
      throw usage_error(problems.front());
    if (!unpacked || !(search_.is_class || is_export(folder)))
      return static_cast<void>(add_parts({name}, {{path, path.filename().string()}}));
    for (const std::string& problem : problems) left_out_.push_back(problem);
    if (search_.is_class && !is_export(folder)) return add_class(folder);
    look_at_folder(folder, name);
  }

  // An archive often holds one folder and nothing else.
  static fs::path whole_folder(fs::path folder) {
    for (int level = 0; level < kMostLevels; ++level) {
      const std::vector<fs::directory_entry> inside = entries(folder);
      std::error_code code;
      if (inside.size() != 1 || inside[0].is_symlink(code) || !inside[0].is_directory(code)) break;
      // A class of one student must not be taken for such a folder.
      if (moodle_name(inside[0].path().filename().string())) break;
      if (is_export(inside[0].path())) return inside[0].path();
      const std::vector<fs::directory_entry> below = entries(inside[0].path());
      const bool folders = std::ranges::any_of(below, [](const auto& entry) {
        std::error_code ignored;
        return entry.is_directory(ignored);
      });
      if (!folders) break;
      folder = inside[0].path();
    }
    return folder;
  }

  void look_at_file(const fs::path& path, const fs::path& plain) {
    const std::string file = path.filename().string();
    if (const auto platform = platform_name(file, false)) {
      add_parts(student_of(*platform), {{path, platform->file}}, platform->late);
    } else if (is_source_file(rules_, path) && file == rules_.file && !rules_.several()) {
      add_file(plain.parent_path().filename().string(), path).header_folder = plain.parent_path();
    } else if (is_source_file(rules_, path) && is_wanted_file(rules_, file)) {
      // Several files of one folder, each given by path, are one student's.
      named_[plain.parent_path()].push_back({path, file});
    } else {
      // A file that is given by path is graded or refused, and never skipped.
      Submission& submission = add_file(path.stem().string(), path);
      if (!may_have_source(rules_, path)) submission.refusal = wrong_type(path);
    }
  }

  void look_at_folder(const fs::path& path, const std::string& name) {
    std::error_code code;
    if (fs::exists(path / "submission_metadata.yml", code)) return look_at_export(path);
    std::vector<HandedFile> sources;
    std::vector<HandedFile> students;  // folders and archives that have a file to grade in them
    bool own = false;                  // a file of the assignment's name
    bool others = false;               // and one of another
    for (const fs::directory_entry& entry : entries(path)) {
      const std::string file = entry.path().filename().string();
      if (entry.is_directory(code) ? has_source(entry.path(), 0) : is_zip(entry.path())) {
        students.push_back({entry.path(), file});
      } else if (is_source_file(rules_, entry.path()) && !entry.is_directory(code)) {
        own = own || is_wanted_file(rules_, file);
        others = others || !is_wanted_file(rules_, file);
        sources.push_back({entry.path(), file});
      }
    }
    if (own && !others && students.empty()) return static_cast<void>(add_folder({name}, path));
    if (own) refuse_mixed(path, sources, students);
    add_class(path);
  }

  // Recognizes the layout of an autograder: /autograder/submission, with the metadata beside it.
  bool look_at_gradescope(const fs::path& path) {
    const fs::path metadata = path.parent_path() / "submission_metadata.json";
    std::error_code code;
    if (path.filename() != "submission" || !fs::exists(metadata, code)) return false;
    add_group(read_gradescope_metadata(metadata), path, path.filename().string());
    return true;
  }

  void look_at_export(const fs::path& path) {
    const auto known = read_gradescope_export(path / "submission_metadata.yml");
    for (const fs::directory_entry& entry : entries(path)) {
      const std::string name = entry.path().filename().string();
      std::error_code code;
      if (name == "submission_metadata.yml") continue;
      const auto found = known.find(name);
      if (entry.is_directory(code))
        add_group(found == known.end() ? GradescopeSubmission() : found->second, entry.path(),
                  name);
      else
        left_out_.push_back(
            fmt::format("{} is no student's folder", printable(display_path(entry.path()))));
    }
  }

  // Students of a group have a grade each. `name` is for groups without known students.
  void add_group(const GradescopeSubmission& group, const fs::path& path, const std::string& name) {
    if (group.submitters.empty()) add_folder({name}, path).handed_in = group.created_at;
    for (const Submitter& one : group.submitters) {
      const NamedStudent student{
          one.name.empty() ? one.ids.front().value : one.name, one.ids, {one.name}};
      Submission& submission = add_folder(student, path);
      submission.handed_in = group.created_at;
      submission.own_due = one.due;
    }
  }

  bool has_source(const fs::path& folder, int level) const {
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code)) {
      const fs::path& path = entry->path();
      if (is_hidden(path)) continue;
      if (may_have_source(rules_, path) || is_zip(path)) return true;
      if (level < kMostLevels && !is_link(path) && entry->is_directory(code) &&
          has_source(path, level + 1))
        return true;
    }
    return false;
  }

  // The file may be a student's, or the template among the students: a skipped student would have
  // no grade, and a template taken for a student's file would get one.
  [[noreturn]] void refuse_mixed(const fs::path& folder, const std::vector<HandedFile>& sources,
                                 const std::vector<HandedFile>& students) const {
    std::vector<HandedFile> others = students;
    std::string own;
    for (const HandedFile& source : sources) {
      if (!is_wanted_file(rules_, source.name)) {
        others.push_back(source);
      } else if (own.empty()) {
        own = source.name;
      }
    }
    throw usage_error(
        fmt::format("{} has a file of the assignment's own name, `{}`, beside {}: nobody can tell "
                    "whether it is one student's submission, or a class with the template in it",
                    display_path(folder), own, listing(others)),
        {},
        fmt::format("for a class, move `{0}` away or into the folder of who handed it in; for one "
                    "student, say so with `--student NAME`",
                    own));
  }

  static Submission twice(const std::vector<Submission>& several) {
    Submission one;
    one.student = several.front().student;
    one.refusal = fmt::format(
        "{} submissions bear your name, and nobody but you can say which one counts. Hand in one.",
        several.size());
    one.ids = several.front().ids;
    std::vector<std::string> places;
    places.reserve(several.size());
    for (const Submission& submission : several) {
      places.push_back(printable(student_name(display_path(submission.path))));
    }
    one.note = "submissions of one name: " + join(places, ", ");
    return one;
  }

  Submission& add(const NamedStudent& student, const fs::path& path) {
    FoundEntry entry;
    entry.submission.student = student_name(student.shown);
    entry.submission.ids = student.ids;
    entry.submission.path = path;
    entry.student = student;
    all_.push_back(std::move(entry));
    return all_.back().submission;
  }

  std::string wrong_type(const fs::path& path) const {
    return fmt::format("`{}` is no CUDA source file. Hand in {}.", printable(name_of(path)),
                       wanted_files(rules_));
  }

  // All that a student handed in. `parts` are files, archives and folders; the files of a folder
  // with the name "" get names without that folder.
  Submission& add_parts(const NamedStudent& student, const std::vector<HandedFile>& parts,
                        bool late = false) {
    const fs::path& first = parts.front().path;
    Submission& submission = add(student, first);
    submission.is_late = late;
    std::error_code code;
    if (parts.size() == 1 && is_link(first) && fs::is_directory(first, code)) {
      submission.refusal = fmt::format(
          "The folder is a symbolic link, and links are not followed. Hand in the file `{}` "
          "itself.",
          join(rules_.files(), "`, `"));
      return submission;
    }
    Handed handed{rules_};
    Gatherer gatherer(archives_, handed);
    try {
      for (const HandedFile& part : parts) gatherer.take(part.path, part.name);
    } catch (const Error& error) {
      // A problem in one student's folder is no reason to grade nobody; a full disk concerns
      // everybody.
      if (error.code() == ExitCode::environment) throw;
      submission.refusal = "Your folder cannot be read. Ask the course's staff.";
      submission.note = error.message();
      return submission;
    }
    choose_sources(submission, handed, rules_);
    if (late) add_note(submission, "the platform says that it is late");
    return submission;
  }
  Submission& add_folder(const NamedStudent& student, const fs::path& folder) {
    return add_parts(student, {{folder, ""}});
  }
  // Adds NAME.cu, which need not have the assignment's file name.
  Submission& add_file(const std::string& name, const fs::path& path) {
    Submission& submission = add({name}, path);
    if (!rules_.several()) {
      take_file(submission, {path, path.filename().string()});
    } else if (is_notebook(path)) {
      Handed handed{rules_};
      handed.add({path, path.filename().string()});
      choose_sources(submission, handed, rules_);
    } else if (is_source_file(rules_, path)) {
      submission.refusal =
          fmt::format("This is one file, `{}`. Hand in {}, together in a folder or an archive.",
                      printable(name_of(path)), wanted_files(rules_));
    }
    return submission;
  }

  void add_class(const fs::path& folder) {
    // Canvas and Moodle may give a student several files and folders.
    struct Exported {
      PlatformName name;
      std::vector<HandedFile> parts;
      std::vector<int> attempts;  // of each part
      std::string note;
    };
    std::map<std::string, Exported> exported;
    const auto export_to = [&](const PlatformName& platform, const fs::path& path) {
      Exported& student = exported[to_text(platform.id)];
      const bool late = platform.late || student.name.late;
      student.name = platform;
      student.name.late = late;
      for (size_t i = 0; i < student.parts.size(); ++i) {
        HandedFile& known = student.parts[i];
        if (known.name != platform.file || student.attempts[i] == platform.attempt) continue;
        const bool later = platform.attempt > student.attempts[i];
        student.note = fmt::format("`{}` was handed in again: the last attempt was taken",
                                   printable(student_name(known.name)));
        if (later) known.path = path;
        if (later) student.attempts[i] = platform.attempt;
        return;
      }
      student.parts.push_back({path, platform.file});
      student.attempts.push_back(platform.attempt);
    };
    std::error_code code;
    for (const fs::directory_entry& entry : entries(folder)) {
      const fs::path& path = entry.path();
      const std::string file = path.filename().string();
      const bool is_folder = entry.is_directory(code);
      if (const auto platform = platform_name(file, is_folder)) {
        export_to(*platform, path);
      } else if (is_folder) {
        add_folder({file}, path);
      } else if (may_have_source(rules_, path)) {
        add_file(path.stem().string(), path);
      } else if (is_zip(path)) {
        add_parts({path.stem().string()}, {{path, file}});
      } else {
        left_out_.push_back(fmt::format("{} is no .cu file, no notebook and no zip archive",
                                        printable(student_name(display_path(path)))));
      }
    }
    for (const auto& [id, student] : exported) {
      Submission& added = add_parts(student_of(student.name), student.parts, student.name.late);
      if (!student.note.empty()) add_note(added, student.note);
    }
  }

  const SubmissionSearch& search_;
  const SubmissionRules& rules_;
  Archives archives_;
  std::vector<FoundEntry> all_;
  std::map<fs::path, std::vector<HandedFile>> named_;  ///< files given by path, by their folders
  std::vector<std::string> left_out_;
};

}  // namespace

Submission find_one(const std::vector<fs::path>& paths, const SubmissionRules& rules,
                    const std::string& student) {
  SubmissionSearch search;
  search.paths = paths;
  search.student = student;
  search.unpack = [](const fs::path& /*archive*/, const fs::path& /*folder*/) {
    Unpacked unpacked;
    unpacked.problem = "is an archive: unpack it first";
    return unpacked;
  };
  Submission found = find_submissions(search, rules).all.front();
  std::error_code code;
  const bool plain = std::ranges::none_of(
      paths, [&](const fs::path& path) { return fs::is_directory(path, code); });
  if (!plain) return found;
  const auto look_beside = [](SubmittedFile& file) {
    if (!file.path.empty()) file.header_folder = fs::absolute(file.path).parent_path();
  };
  for (SubmittedFile& file : found.files) look_beside(file);
  if (found.files.empty()) look_beside(found);
  return found;
}

FoundSubmissions find_submissions(const SubmissionSearch& search, const SubmissionRules& rules) {
  Finder finder(search, rules);
  if (search.student.empty()) {
    for (const fs::path& path : search.paths) finder.look_at(path);
  } else {
    finder.take_all_of(search.student, search.paths);
  }
  return finder.take();
}

void keep_only(const std::vector<std::string>& names, std::vector<Submission>& all) {
  if (names.empty()) return;
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Submission& one : all) known.push_back(one.student);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string near = nearest(name, known);
    throw usage_error(fmt::format("there is no submission of `{}`", printable(name)), {},
                      near.empty() ? "" : fmt::format("did you mean `{}`?", printable(near)));
  }
  std::erase_if(all, [&](const Submission& one) {
    return std::ranges::find(names, one.student) == names.end();
  });
}

}  // namespace warpmark
