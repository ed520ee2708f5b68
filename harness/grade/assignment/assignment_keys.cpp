// The keys of assignments and what they may be, a line each.
#include "grade/assignment/assignment_keys.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/record_table.hpp"
#include "grade/assignment/assignment.hpp"
#include "suite/suite_keys.hpp"

namespace warpmark {

using F = KeyForm;

namespace {

constexpr double kDay = 86'400;       // s
constexpr double kMostMib = 1 << 20;  // 1 TiB
constexpr const char* kSubmitted = R"(^[^-./\\][^/\\]*\.(cu|py)$|^ +[^-./\\ ][^/\\]*\.(cu|py)$)";

}  // namespace

const std::vector<std::string>& failing_words() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words;
    for (int i = 1; i <= static_cast<int>(GradeWord::not_launched); ++i)
      words.emplace_back(to_text(static_cast<GradeWord>(i)));
    return words;
  }();
  return kWords;
}

const KeyTable& submission_keys() {
  static const KeyTable kTable({
      {"file",
       "The name of the file; default: the name of the suite's .cu file. With `suites` it is for "
       "one file with all kernels.",
       F::like(kSubmitted)},
      {"max_kib",
       "The largest size in KiB of a file, and of all headers by the students that it includes.",
       F::whole(1, 16384).normally("64")},
      {"own_headers",
       "How many headers by the students, which lie beside it, a file may include; 0 for none.",
       F::whole(0, 1000).normally("16")},
      {"headers",
       "Headers of the course, relative to this file; submissions include them by their file "
       "names.",
       F::list_of(F::of("text"), 0)},
      {"toolkit_headers",
       "Headers of the CUDA toolkit that it may include, written as between `< >`, with all that "
       "these include.",
       F::list_of(
           R"({"type": "string", "pattern": "^[A-Za-z0-9_+.-][A-Za-z0-9_./+-]*$", "not": {"pattern": "\\.\\."}})",
           0)},
      {"accept",
       "What a file may be besides CUDA C++ for the GPU alone: `ptx`, or CUDA C++ with code for "
       "the CPU (`host_code`), which is left out where the file does not compile with it.",
       F::list_of(F::words({"ptx", "host_code"}))},
  });
  return kTable;
}

const KeyTable& ptx_keys() {
  static const KeyTable kTable({
      {"forbid", "A submission that contains one of these is refused.",
       F::list_of(F::of("ptxName"))},
      {"flag", "These are reported to staff, and cost nothing.", F::list_of(F::of("ptxName"))},
  });
  return kTable;
}

const KeyTable& grade_limits_keys() {
  static const KeyTable kTable({
      {"instructions",
       "Thread-instructions of one launch, on devices that count them. Where neither this nor the "
       "suite says it, 100 times those of the suite's own kernel are the most, too, but never less "
       "than 100 million.",
       F::whole(1, 1e15).normally("2000000000")},
      {"timeout_s", "Seconds that the copies and the launch of one item may take.",
       F::above(0, kDay).normally("60")},
      {"total_s",
       "Seconds that all items of a submission may take together, once one of them ended at a "
       "limit: those that are left then have the verdict `limit`.",
       F::above(0, kDay).normally("90")},
      {"compile_cpu_s", "Seconds of processor time for the compiler.",
       F::above(0, kDay).normally("20")},
      {"compile_s", "Seconds of elapsed time for the compiler.", F::above(0, kDay).normally("60")},
      {"compile_mib", "MiB of address space for the compiler.",
       F::whole(1, kMostMib).normally("512")},
      {"memory_mib",
       "MiB of all arrays of one item, and of the submission's own variables outside of kernels.",
       F::whole(1, kMostMib).normally("1024")},
  });
  return kTable;
}

const KeyTable& must_fail_keys() {
  static const std::vector<Key> kKeys = {
      {"file", "The file, relative to the assignment.", F::of("text").needed()},
      {"case", "The name of a case that must lose points; default: any case.", F::of("text")},
      {"word", "The word that the case must give, or several words, of which it must give one.",
       F::one_or_more(F::words(failing_words()))},
  };
  static const KeyTable kTable = KeyTable(kKeys).about("A solution that must lose points.");
  return kTable;
}

const KeyTable& self_test_keys() {
  static const KeyTable kTable({
      {"must_pass", "Files, or folders with several, that must get all points.",
       F::list_of(F::of("text"))},
      {"must_fail", "Files, or folders with several, that must lose points.",
       F::list_of(F::any_of({F::of("text"), F::keys(&must_fail_keys)}))},
  });
  return kTable;
}

const KeyTable& late_keys() {
  static const std::vector<Key> kKeys = {
      {"per_day",
       "Points lost for each day that has begun, or a share of the assignment's points, as in 10%.",
       F(R"({"type": ["string", "number"]})").needed()},
      {"days", "Later than this many days there are no points.", F::whole(1, 365).needed()},
      {"grace_min", "Minutes after `due` that do not count.", F::whole(1, 1440)},
  };
  static const KeyTable kTable =
      KeyTable(kKeys).hint("as in {per_day: 10%, days: 3}: after three days there are no points");
  return kTable;
}

const KeyTable& leaderboard_keys() {
  static const KeyTable kTable({
      {"by",
       "`points`, or the name of a visible case with `performance`, whose ratio counts: less is "
       "better.",
       F::of("text").normally("\"points\"")},
      {"names",
       "`pseudonyms`, the same for a student in every assignment; `chosen`: what the submission "
       "says in a comment `// leaderboard: NAME`, else the pseudonym.",
       F::words({"pseudonyms", "chosen"}).normally("\"pseudonyms\"")},
      {"top", "So many places are shown.", F::whole(1, 10000).normally("10")},
  });
  return kTable;
}

const KeyTable& suite_entry_keys() {
  static const std::vector<Key> kKeys = {
      {"suite", "The file of the suite, relative to this file.", F::of("text").needed()},
      {"file",
       "The name of the students' file; default: `submission.file`, else the name of the suite's "
       ".cu file.",
       F::like(kSubmitted)},
      {"template", "What students start from, in this folder; default: as for `template`.",
       F::of("text")},
  };
  static const KeyTable kTable =
      KeyTable(kKeys).about("A suite, and the students' file that has its kernel.");
  return kTable;
}

const KeyTable& trials_keys() {
  static const std::vector<Key> kKeys = {
      {"count", "How often each case of the suite runs.", F::whole(1, 100).normally("3")},
      {"drop",
       "So many trials that fail do not count, those with the least points first. The last trial "
       "is never dropped.",
       F::whole(1, 99)},
      {"words", "What may be dropped. A memory error never is.",
       F::list_of(F::words({"wrong", "race", "barrier", "limit"})).normally("[\"wrong\"]")},
  };
  static const KeyTable kTable = KeyTable(kKeys).about("Trials of which some may be dropped.");
  return kTable;
}

const KeyTable& degree_keys() {
  static const std::vector<Key> kKeys = {
      {"degree",
       "`elements`: the share of elements that are right, of the output with the least; "
       "`composites`: how nearly the composite that is missed by most is met, where the results "
       "are right.",
       F::words_of<DegreeOf>().needed()},
      {"from", "A lesser degree is worth nothing.", F::from(0, 1).normally("0")},
  };
  static const KeyTable kTable =
      KeyTable(kKeys)
          .about("Points in part for an item that is wrong and nothing worse.")
          .hint("as in {degree: elements, from: 0.5}");
  return kTable;
}

const KeyTable& performance_step_keys() {
  static const std::vector<Key> kKeys = {
      {"ratio", "At most this.", F::above(0, 1e6).needed()},
      {"points", "For it; the first step gives all points of the case.", F::from(0, 1e6).needed()},
  };
  static const KeyTable kTable =
      KeyTable(kKeys).hint("as in {ratio: 1.25, points: 5}: so many points up to that ratio");
  return kTable;
}

const KeyTable& performance_keys() {
  static const std::vector<Key> kKeys = {
      {"by",
       "`counters`: what the CPU device counts, the same on every machine; `gpu`: times, taken by "
       "turns.",
       F::words({"counters", "gpu"}).needed()},
      {"counters", "Of `by: counters`: a counter, or several that are added up.",
       F::one_or_more(F::of("text"))},
      {"full", "All points up to this ratio.", F::above(0, 1e6)},
      {"zero", "No points from this ratio on; in a straight line between.", F::above(0, 1e6)},
      {"steps",
       "In the place of `full` and `zero`: points for a ratio of at most so much, from the least "
       "ratio.",
       F::list_of(F::keys(&performance_step_keys))},
  };
  static const KeyTable kTable =
      KeyTable(kKeys)
          .about(
              "Points by the ratio of what was measured to the baseline, if all items pass. Less "
              "is better.")
          .hint("`by: counters`, which any machine can count, or `by: gpu` for times");
  return kTable;
}

const KeyTable& assignment_case_keys() {
  static const std::vector<Key> kKeys = {
      {"name", "What students see; each name must be different.", F::of("text").needed()},
      {"points", "More than 0.", F::above(0, 1e6).needed()},
      {"axes", "Values for axes of the suite, instead of the suite's.", F::of("axes")},
      {"where",
       "Which cases of the suite: words of their ids with `and`, `or`, `not` and parentheses, as "
       "for `-k`; default: all.",
       F::of("text")},
      {"suite",
       "With `suites` one of them; else another suite of the same kernel, relative to this file.",
       F::of("text")},
      {"visibility", "Of a `hidden` case a student learns only one word and the hint.",
       F::words_of<Visibility>().normally("\"visible\"")},
      {"credit",
       "`all`: the points if every item passes; `each`: a share for each item that passes; "
       "`degree`: also a part of that share for an item that is wrong in part.",
       F::any_of({F::words_of<Credit>(), F::keys(&degree_keys)}).normally("\"all\"")},
      {"hint", "Text for a student who loses points here.", F::of("text")},
      {"extra", "Extra credit: the points count on top of the assignment's, and not in `points`.",
       F::truth().normally("false")},
      {"performance", "", F::keys(&performance_keys)},
  };
  static const KeyTable kTable =
      KeyTable(kKeys)
          .about("One line of the grade: points for one or more cases of the suite.")
          .hint("as in {name: small sizes, points: 20, axes: {n: [1, 33]}}");
  return kTable;
}

const KeyTable& assignment_keys() {
  static const std::vector<Key> kKeys = {
      {"warpmark", "The version of this format.", F::version()},
      {"assignment", "The short name, used in results: letters, digits, `_` and `-`.",
       F(R"({"type": ["string", "integer"], "pattern": "^ *[A-Za-z0-9_][A-Za-z0-9_-]* *$"})")
           .needed()},
      {"title", "One line for people; default: the short name.", F::of("text")},
      {"made_with",
       "The version of Warpmark that may grade, as in 0.1.0: verdicts may change with another one, "
       "which is refused.",
       F::of("text")},
      {"about", "What the assignment is about.", F::of("text")},
      {"suite",
       "The file of the suite, relative to this file. It describes kernel, arguments, reference "
       "and tolerance. In its place `suites` lists those of several kernels.",
       F::of("text")},
      {"suites",
       "The suites of an assignment of several kernels, in the place of `suite`; every case then "
       "names one of them.",
       F::list_of(F::any_of({F::of("text"), F::keys(&suite_entry_keys)}))},
      {"points", "The sum of the points of the cases; any sum if left out.", F::above(0, 1e9)},
      {"submission", "What students hand in.", F::keys(&submission_keys)},
      {"template",
       "The file that students start from, in this folder; default: the one that is called as "
       "their files are, if it is no solution and not the suite's kernel, else the suite's kernel "
       "without its body. For several files it is in `suites`.",
       F::of("text")},
      {"handout",
       "Written by `warpmark handout`: the file with what the course's own kernels would tell a "
       "grader. The suite's kernel is then a template.",
       F::of("text")},
      {"trials",
       "How often each case of the suite runs, with new inputs each time: a number, or how many of "
       "them may fail.",
       F::any_of({F::whole(1, 100), F::keys(&trials_keys)}).normally("3")},
      {"cases", "What is graded, for how many points.",
       F::list_of(F::keys(&assignment_case_keys)).needed()},
      {"fixed",
       "Axes and scalar arguments that have one value everywhere on purpose, so that kernels may "
       "have it built in; lint refuses others.",
       F::list_of(F::of("text"))},
      {"ptx",
       "What compiled code must not contain: opcodes with or without their suffixes (`atom`, "
       "`ld.global.nc`), special registers (`\"%clock64\"`), functions (`vprintf`, `malloc`), "
       "`writable_globals` (variables that outlive a launch), `entries` (further kernels).",
       F::keys(&ptx_keys)},
      {"limits", "What a submission may use.", F::keys(&grade_limits_keys)},
      {"self_test", "Solutions that `warpmark grade --lint` grades.", F::keys(&self_test_keys)},
      {"due",
       "Until when it is handed in: a date and time with its zone, as in "
       "2026-11-20T23:59:00+01:00.",
       F::like("^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]*)?)? "
               "?(Z|z|UTC|[+-][0-9]{2}:?[0-9]{2})$")},
      {"late", "What it costs to be late; `due` must be given.", F::keys(&late_keys)},
      {"leaderboard", "Who is best, without anybody's name.", F::keys(&leaderboard_keys)},
  };
  static const KeyTable kTable = KeyTable(kKeys).one_of({"suite", "suites"});
  return kTable;
}

RecordJson assignment_schema() {
  RecordJson assignment = assignment_keys().schema();
  const KeyTable own(std::vector<Key>{{"ptxName", "", F::like("^[A-Za-z0-9_.%$:]+$")}});
  assignment["definitions"] = file_definitions().with(own).schema()["properties"];
  return schema_document("assignment", "Warpmark assignment",
                         "The cases of a suite on which submissions are graded, and their points.",
                         std::move(assignment));
}

}  // namespace warpmark
