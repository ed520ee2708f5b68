// An assignment: which cases of a suite a submission is graded on, for how many points.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment/handout_store.hpp"
#include "results/grade_result.hpp"
#include "suite/case.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// What students hand in, and what their files may include.
struct SubmissionRules {
  static constexpr uint64_t kOwnHeaders = 16;

  Position where;
  std::string file;  ///< "double_array.cu": that of the suite's kernel by default
  /// Of an assignment of several files those behind the first, each with kernels of its own.
  std::vector<std::string> further_files;
  uint64_t max_bytes = 64 << 10;  ///< key `max_kib`: of each file, and of its headers together
  /// Headers of the student's own that a file may include; key `own_headers`.
  uint64_t own_headers = kOwnHeaders;
  /// Of the course, absolute; included by their file names, no two of which are the same.
  std::vector<std::filesystem::path> headers;
  std::vector<std::string> toolkit_headers;  ///< that it may include, as written between < >

  bool several() const { return !further_files.empty(); }
  /// All names, in the order of the assignment.
  std::vector<std::string> files() const;
};

/// What a file may include of the toolkit where the assignment does not say.
const std::vector<std::string>& default_toolkit_headers();

/// What the degree of an item is, for Credit::degree.
enum class DegreeOf : uint8_t {
  elements,   ///< the share of elements that are right, of the output with the least
  composites  ///< how near a right kernel comes to the composite that it misses by most
};
std::string_view to_text(DegreeOf degree);

/// How often each item runs, and how many trials that fail do not count.
struct TrialRules {
  uint64_t count = 3;
  uint64_t drop = 0;  ///< less than `count`
  /// What may be dropped. A memory error never is, nor is the last trial, whose inputs nobody knows.
  std::vector<GradeWord> words = {GradeWord::wrong};
};

/// One case of the assignment. Its items are cases of a suite, with the axes of the assignment's
/// case in it: no two cases share an item.
struct AssignmentCase {
  std::string name;
  Position where;
  double points = 0;  ///< more than 0
  Visibility visibility = Visibility::visible;
  Credit credit = Credit::all;
  DegreeOf degree_of = DegreeOf::elements;  ///< of Credit::degree
  double from = 0;                          ///< of Credit::degree: a lesser one is worth nothing
  std::optional<PerformanceRule> performance;
  std::string hint;
  bool extra = false;       ///< extra credit: its points count on top of the assignment's
  std::vector<Case> items;  ///< one at least
};

/// What compiled code must not contain: opcodes ("atom", "ld.global.nc" matches by dotted prefix),
/// special registers ("%clock64"), functions ("vprintf", "malloc"), "writable_globals" (module
/// variables that keep values between launches), "entries" (more kernels than the suite launches).
struct PtxPolicy {
  std::vector<Located> forbid;
  std::vector<Located> flag;  ///< the same names: reported to staff, costs nothing
};

struct GradeLimits {
  uint64_t instructions = 2'000'000'000;  ///< thread-instructions of one launch, where counted
  double timeout_s = 60;                  ///< wall clock of one item's trial: a net
  /// Wall clock of all items of a submission together. It holds once one of them ended at a limit: a
  /// right submission loses nothing on a machine that is busy.
  double total_s = 90;
  double compile_cpu_s = 20;
  double compile_s = 60;       ///< wall clock of one compile
  uint64_t compile_mib = 512;  ///< address space
  uint64_t memory_mib = 1024;  ///< of one item's buffers
};

/// A solution that `grade --lint` runs.
struct SelfTest {
  std::filesystem::path file;  ///< absolute; or a folder with all that is handed in
  Position where;
  bool must_pass = true;
  std::string case_name;         ///< of must_fail: the case that must lose points; "" for any
  std::vector<GradeWord> words;  ///< of must_fail: one of which that case says; none: any
};

/// Until when it is handed in, and what it costs to be late.
struct LatePolicy {
  std::optional<int64_t> due;  ///< seconds since 1970, UTC
  double share_per_day = 0;    ///< of the assignment's points, lost for each day that has begun
  double points_per_day = 0;   ///< the same in points
  int64_t days = 0;            ///< later than this there are no points
  int64_t grace_s = 0;         ///< seconds after `due` that do not count
};

/// Who is best, without names.
struct LeaderboardRule {
  std::string by;       ///< a visible case with performance; "" for points
  bool chosen = false;  ///< under names that students choose in a comment, else pseudonyms
  uint64_t top = 10;    ///< so many places are shown

  bool by_points() const { return by.empty(); }
};

struct Assignment {
  std::string id;  ///< of [A-Za-z0-9_-]: names results
  std::string title;
  std::string about;
  std::optional<Located> made_with;  ///< the version of Warpmark that may grade; nothing: any
  std::filesystem::path file;        ///< absolute
  std::filesystem::path folder;      ///< absolute
  Position where;                    ///< of the whole file
  std::vector<std::shared_ptr<const Suite>> suites;  ///< as loaded, each once, by first use
  /// Which submitted file has the kernel of each suite; empty: all have the only one.
  std::vector<std::string> suite_files;
  SubmissionRules submission;
  std::vector<AssignmentCase> cases;
  TrialRules trials;
  PtxPolicy ptx;
  GradeLimits limits;
  /// Axes and scalar arguments with one value everywhere, on purpose.
  std::vector<Located> fixed;
  std::vector<SelfTest> self_tests;
  LatePolicy late;
  std::optional<LeaderboardRule> leaderboard;
  /// What students start from, relative to the folder, by the names of their files.
  std::map<std::string, Located> templates;
  /// Of what `warpmark handout` wrote for students: the suites' kernel is a template, and what the
  /// course's own says to a grader is stored.
  std::optional<HandoutStore> handout;
  std::string sha256;  ///< of the assignment, its suites, their files and the course's headers
  /// The same of what verdicts depend on: without titles, hints, points, due times and self-tests.
  std::string verdict_sha256;

  /// Without extra credit.
  double max_points() const;
  /// The submitted file that has the kernel of a suite, whatever axes it was given.
  const std::string& file_of(const Suite& suite) const;
  /// The files of a self-test: itself, or all that lie in its folder.
  static std::vector<std::filesystem::path> files_of(const SelfTest& test);
};

/// Throws a usage error for a hand-out, which grades nobody.
void require_whole(const Assignment& assignment);
/// Verdicts may change with the program: who has checked an assignment with one version may want no
/// other to grade by it. Throws an environment error for another one than `made_with`.
void require_version(const Assignment& assignment);

/// Loads and checks an assignment (docs/assignment-format.md) and its suites. Throws usage errors
/// with file, line and column. `python` evaluates computed axes of suites.
std::shared_ptr<const Assignment> load_assignment(const std::filesystem::path& file,
                                                  const ListEvaluator& python = {});
/// The same from a text; `file` names it, and its folder is where paths start.
std::shared_ptr<const Assignment> parse_assignment(const std::string& text,
                                                   const std::filesystem::path& file,
                                                   const ListEvaluator& python = {});

}  // namespace warpmark
