#include "grade/class/grade_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "grade/leaderboard/leaderboard.hpp"
#include "grade/submission/student_name.hpp"
#include "report/grade/grade_junit.hpp"
#include "report/grade/grade_page.hpp"
#include "report/grade/grades_csv.hpp"
#include "report/grade/gradescope.hpp"
#include "results/run_context.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStaff = "staff";
constexpr const char* kLinted = ".linted";
constexpr const char* kStudents = "students";

std::optional<GradeResult> result_of(const std::string& text, const fs::path& file) {
  try {
    return grade_result_from_json(parse_json(text), {display_path(file), 0, 0});
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return std::nullopt;  // of an older version, or not ours: graded again
}

std::optional<GradeResult> read_result(const fs::path& file) {
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return std::nullopt;
  try {
    return result_of(read_file(file), file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// By the names of students' folders.
std::map<std::string, GradeResult> results_below(const fs::path& out) {
  std::map<std::string, GradeResult> results;
  std::error_code code;
  for (fs::directory_iterator entry(out / kStaff, code), end; !code && entry != end;
       entry.increment(code)) {
    if (auto result = read_result(entry->path() / "result.json"))
      results.emplace(entry->path().filename().string(), std::move(*result));
  }
  return results;
}

std::vector<GradeResult> by_student(const std::map<std::string, GradeResult>& results) {
  std::vector<GradeResult> all;
  all.reserve(results.size());
  for (const auto& [folder, result] : results) all.push_back(result);
  std::ranges::stable_sort(all, {}, &GradeResult::student);
  return all;
}

}  // namespace

GradeFiles::GradeFiles(fs::path out) : out_(std::move(out)) {
  std::error_code code;
  for (const char* folder : {kStaff, kStudents}) {
    if (!code) fs::create_directories(out_ / folder, code);
  }
  if (code) {
    throw environment_error(
        fmt::format("cannot make the folder {}: {}", display_path(out_), code.message()));
  }
  require_writable(out_ / kStaff / "result.json");
  // Goes with the process, however it ends.
  lock_ = UniqueFd(::open(out_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_ && ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw environment_error(fmt::format("another process grades into {}", display_path(out_)),
                            "wait until it has ended, or name another folder with -o");
  }
}

void GradeFiles::require_assignment(const std::string& id) const {
  for (const GradeResult& there : read_all()) {
    if (there.assignment == id) continue;
    throw usage_error(
        fmt::format("the folder of -o has grades of the assignment `{}`, and this one is `{}`",
                    printable(there.assignment), id),
        {}, "each assignment needs a separate folder");
  }
}

fs::path staff_file(const fs::path& out, const std::string& student, const char* name) {
  return out / kStaff / folder_name(student) / name;
}

std::optional<GradeResult> read_grade(const fs::path& out, const std::string& student,
                                      const char* name) {
  std::optional<GradeResult> result = read_result(staff_file(out, student, name));
  if (result && result->student != student) return std::nullopt;
  return result;
}

std::string read_linted(const fs::path& out) {
  const fs::path file = out / kStaff / kLinted;
  std::error_code code;
  if (!fs::is_regular_file(file, code)) return "";
  try {
    return read_file(file);
  } catch (const Error&) {
    return "";  // then it is looked at again
  }
}

void GradeFiles::set_linted(const std::string& key) const {
  write_file_atomically(out_ / kStaff / kLinted, key);
}

std::vector<GradeResult> read_grades(const fs::path& out) {
  return by_student(results_below(out));
}

std::map<std::string, GradeResult>& GradeFiles::known() const {
  if (!known_) known_ = results_below(out_);
  return *known_;
}

std::vector<GradeResult> GradeFiles::read_all() const {
  return by_student(known());
}

std::optional<GradeResult> GradeFiles::read(const std::string& student) const {
  const auto found = known().find(folder_name(student));
  if (found == known().end() || found->second.student != student) return std::nullopt;
  return found->second;
}

void GradeFiles::write(const GradeResult& result) const {
  const fs::path staff = staff_file(out_, result.student, "").parent_path();
  const fs::path files = out_ / kStudents / staff.filename();
  const StudentView view(result);
  write_file_atomically(files / "results.json", gradescope_json(view));
  write_file_atomically(files / "report.html", student_page(view));
  write_file_atomically(files / "student.json", json_document(to_json(view)));
  write_file_atomically(staff / "junit.xml", grade_junit({result}));
  const std::string text = json_document(to_json(result));
  write_file_atomically(staff / "result.json", text);
  // The result is kept as a reader of the file will see it.
  if (auto read = result_of(text, staff)) {
    known().insert_or_assign(staff.filename().string(), std::move(*read));
  }
}

void GradeFiles::rename(const RenamedStudent& student) const {
  std::optional<GradeResult> result = read(student.before);
  if (!result) return;
  result->student = student.after;
  write(*result);
  std::error_code ignored;
  if (const auto kept = read_grade(out_, student.before, "previous.json")) {
    GradeResult previous = *kept;
    previous.student = student.after;
    keep(previous);
  }
  for (const char* folder : {kStaff, kStudents})
    fs::remove_all(out_ / folder / folder_name(student.before), ignored);
  known().erase(folder_name(student.before));
}

void GradeFiles::keep(const GradeResult& result) const {
  write_file_atomically(staff_file(out_, result.student, "previous.json"),
                        json_document(to_json(result)));
}

void GradeFiles::add_changes(const std::vector<GradeChange>& changes) const {
  const fs::path file = out_ / "changes.csv";
  std::error_code code;
  const std::string before = fs::is_regular_file(file, code) ? read_file(file) : changes_csv_head();
  write_file_atomically(file, before + changes_csv(changes, utc_date()));
}

// Places are known once all are: each student's page gets the student's own.
void GradeFiles::write_leaderboard(const std::vector<GradeResult>& results) const {
  const std::string csv = leaderboard_csv(results);
  if (csv.empty()) return;
  write_file_atomically(out_ / "leaderboard.csv", csv);
  write_file_atomically(out_ / "leaderboard.html", leaderboard_page(results));
  const std::map<std::string, std::string> standings = own_standings(results);
  for (const GradeResult& result : results) {
    const auto own = standings.find(result.student);
    if (own == standings.end()) continue;
    const fs::path folder = out_ / kStudents / folder_name(result.student);
    write_file_atomically(folder / "report.html", student_page(StudentView(result), own->second));
  }
}

std::vector<GradeResult> GradeFiles::read_replaced() const {
  std::vector<GradeResult> replaced;
  for (const GradeResult& now : read_all()) {
    if (auto before = read_grade(out_, now.student, "previous.json"))
      replaced.push_back(std::move(*before));
  }
  return replaced;
}

void GradeFiles::write_part(const std::vector<GradeResult>& results) const {
  write_file_atomically(out_ / "grades.csv", grades_csv(results));
  write_file_atomically(out_ / "report.html", grade_page(results));
  write_file_atomically(out_ / "junit.xml", grade_junit(results));
}

void GradeFiles::write_class(const std::vector<GradeResult>& results) const {
  write_part(results);
  write_leaderboard(results);
}

}  // namespace warpmark
