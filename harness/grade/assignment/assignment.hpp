// An assignment: which cases of a suite a submission is graded on, for how many points.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "grade/assignment/handout_store.hpp"
#include "results/grade_result.hpp"
#include "suite/case.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// The files that students hand in, and the headers that these may include.
struct SubmissionRules {
  static constexpr uint64_t kOwnHeaders = 16;

  Position where;
  std::string file;  ///< "double_array.cu": the name of the suite's kernel by default
  /// The files after the first of an assignment of several, each with its own kernels.
  std::vector<std::string> further_files;
  uint64_t max_bytes = 64 << 10;  ///< key `max_kib`: for each file, and for its headers together
  /// The number of the student's own headers that a file may include; key `own_headers`.
  uint64_t own_headers = kOwnHeaders;
  /// Headers of the course, as absolute paths; they are included by their file names, which all
  /// differ.
  std::vector<std::filesystem::path> headers;
  std::vector<std::string> toolkit_headers;  ///< headers that a file may include, as written
                                             ///< between < >
  /// Key `accept`: PTX in the place of CUDA C++, and a file with code for the CPU, which is left out.
  bool accepts_ptx = false, accepts_host_code = false;

  bool several() const { return !further_files.empty(); }
  /// All file names, in the order of the assignment.
  std::vector<std::string> files() const;
};

/// The toolkit headers that a file may include if the assignment does not list any.
const std::vector<std::string>& default_toolkit_headers();

/// The meaning of an item's degree, for Credit::degree.
enum class DegreeOf : uint8_t {
  elements,   ///< the share of elements that are right, of the output with the least
  composites  ///< closeness of a right kernel to the composite that it misses by most
};
constexpr auto words(DegreeOf) {
  return words_are("elements", "composites");
}

/// The number of runs of each item, and the number of failed trials that do not count.
struct TrialRules {
  uint64_t count = 3;
  uint64_t drop = 0;  ///< less than `count`
  /// Words that may be dropped. A memory error never is, nor is the last trial, whose inputs are
  /// unknown in advance.
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
  DegreeOf degree_of = DegreeOf::elements;  ///< for Credit::degree
  double from = 0;                          ///< for Credit::degree: a lesser degree is worth
                                            ///< nothing
  std::optional<PerformanceRule> performance;
  std::string hint;
  bool extra = false;       ///< extra credit: its points count on top of the assignment's
  std::vector<Case> items;  ///< at least one
};

/// Names that compiled code must not contain: opcodes ("atom", "ld.global.nc" matches by dotted
/// prefix), special registers ("%clock64"), functions ("vprintf", "malloc"), "writable_globals"
/// (module variables that keep values between launches), "entries" (more kernels than the suite
/// launches).
struct PtxPolicy {
  std::vector<Located> forbid;
  std::vector<Located> flag;  ///< names that are reported to staff and cost nothing
};

struct GradeLimits {
  uint64_t instructions = 2'000'000'000;  ///< thread-instructions of one launch, if they are
                                          ///< counted
  /// The assignment says it; else the suites' own kernels may make it less.
  bool gives_instructions = false;
  double timeout_s = 60;  ///< wall clock of one trial of an item: a safety net
  /// Wall clock of all items of a submission together. It holds once one of them ended at a limit: a
  /// right submission loses nothing on a machine that is busy.
  double total_s = 90;
  double compile_cpu_s = 20;
  double compile_s = 60;       ///< wall clock of one compile
  uint64_t compile_mib = 512;  ///< address space
  uint64_t memory_mib = 1024;  ///< memory of one item's buffers
};

/// A solution that `grade --lint` runs.
struct SelfTest {
  std::filesystem::path file;  ///< absolute; or a folder with all files that are handed in
  Position where;
  bool must_pass = true;
  std::string case_name;         ///< for must_fail: the case that must lose points; "" for any
  std::vector<GradeWord> words;  ///< for must_fail: the words allowed for that case; empty for any
};

/// The due time, and the cost of handing in late.
struct LatePolicy {
  std::optional<int64_t> due;  ///< seconds since 1970, UTC
  double share_per_day = 0;    ///< share of the assignment's points lost for each day begun
  double points_per_day = 0;   ///< points lost for each day begun
  int64_t days = 0;            ///< number of late days after which there are no points
  int64_t grace_s = 0;         ///< seconds after `due` that do not count
};

/// The rule of a leaderboard, which shows no real names.
struct LeaderboardRule {
  std::string by;       ///< a visible case with performance; "" for points
  bool chosen = false;  ///< under names that students choose in a comment, else pseudonyms
  uint64_t top = 10;    ///< number of places that are shown

  bool by_points() const { return by.empty(); }
};

struct Assignment {
  std::string id;  ///< in [A-Za-z0-9_-]: names results
  std::string title;
  std::string about;
  std::optional<Located> made_with;  ///< the version of Warpmark that may grade; nothing for any
  std::filesystem::path file;        ///< absolute
  std::filesystem::path folder;      ///< absolute
  Position where;                    ///< place of the whole file
  std::vector<std::shared_ptr<const Suite>> suites;  ///< as loaded, each once, by first use
  /// The submitted file with the kernel of each suite; empty if there is only one file.
  std::vector<std::string> suite_files;
  SubmissionRules submission;
  std::vector<AssignmentCase> cases;
  TrialRules trials;
  PtxPolicy ptx;
  GradeLimits limits;
  /// Axes and scalar arguments that have one value everywhere on purpose.
  std::vector<Located> fixed;
  std::vector<SelfTest> self_tests;
  LatePolicy late;
  std::optional<LeaderboardRule> leaderboard;
  /// The templates that students start from, relative to the folder, by the names of their files.
  std::map<std::string, Located> templates;
  /// Set for an assignment that `warpmark handout` wrote for students: the suites' kernel is a
  /// template, and the data that a grader gets from the course's own kernel is stored.
  std::optional<HandoutStore> handout;
  std::string sha256;  ///< hash of the assignment, its suites, their files and the course's headers
  /// The hash of the parts that verdicts depend on: without titles, hints, points, due times and
  /// self-tests.
  std::string verdict_sha256;

  /// The maximum without extra credit.
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
