// Grades as JSON, and back: the tables of their members.
#include <fmt/format.h>

#include "base/record_table.hpp"
#include "results/grade_result.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

constexpr const char* kSha256 = "^([0-9a-f]{64})?$";
constexpr const char* kWords =
    "pass. wrong: wrong elements, elements never written, or an input changed. memory error: out "
    "of bounds, misaligned, wrong space, stack. race. barrier. limit: too many instructions, or "
    "too much time. not launched: nothing ran.";

// Texts of ids; those that this version does not know are left out.
struct PlatformIds {
  std::vector<PlatformId>& ids;
  bool empty() const { return ids.empty(); }
  RecordJson json() const {
    RecordJson texts = RecordJson::array();
    for (const PlatformId& id : ids) texts.push_back(to_text(id));
    return texts;
  }
  void read(const RecordField& record, const FieldInfo&) {
    for (const std::string& text : record.texts()) {
      if (auto id = platform_id(text)) ids.push_back(std::move(*id));
    }
  }
  RecordJson schema(const FieldInfo& field) const {
    return record_schema(std::vector<std::string>(), true, field);
  }
};

}  // namespace

template <typename Visit>
void each_field(DroppedTrial& one, const Visit& visit) {
  visit({"trial", "Counted from 0."}, one.trial);
  visit("word", one.word);
  visit("explanation", one.explanation);
}

template <typename Visit>
void each_field(Degree& degree, const Visit& visit) {
  visit(FieldInfo("share", "Rounded down to 1/100.").between(0, 1), degree.share);
  visit({"what", "The subject of the share."}, degree.what);
}

template <typename Visit>
void each_field(PerformanceStep& step, const Visit& visit) {
  visit("ratio", step.ratio);
  visit(FieldInfo("points").at_least(0), step.points);
}

template <typename Visit>
void each_field(PerformanceRule& rule, const Visit& visit) {
  visit(FieldInfo("by").one_of("counters,gpu"),
        Computed{std::string_view(rule.by_counters() ? "counters" : "gpu")});
  visit(FieldInfo("counters", "Those that are added up.").if_set(), rule.counters);
  visit(FieldInfo("steps",
                  "In the place of `full` and `zero`: points for a ratio of at most so much, "
                  "from the least.")
            .if_set(),
        rule.steps);
  const bool linear = rule.steps.empty();
  visit(FieldInfo("full", "All points up to this ratio.").when(linear), rule.full);
  visit(FieldInfo("zero", "No points from this ratio on; in a straight line between.").when(linear),
        rule.zero);
}

template <typename Visit>
void each_field(Performance& performance, const Visit& visit) {
  const bool times = performance.rounds != 0;
  visit(FieldInfo("value", "A count, or seconds.").at_least(0), performance.value);
  visit(FieldInfo("baseline").at_least(0), performance.baseline);
  visit(FieldInfo("ratio",
                  "It makes the points: the ratio of the counts, or the lower end of the "
                  "interval of the ratio of times.")
            .at_least(0),
        AnyNumber{performance.ratio});
  visit(FieldInfo("median", "Of times: of the rounds' ratios.").at_least(0).when(times),
        performance.median);
  visit(FieldInfo("low").at_least(0).when(times), performance.low);
  visit(FieldInfo("high").at_least(0).when(times), performance.high);
  visit(FieldInfo("rounds").when(times), performance.rounds);
}

static void check_record(const RecordField& record, const Performance& performance) {
  if (performance.rounds == 0) return;
  for (const char* name : {"median", "low", "high"}) record.member(name);
}

template <typename Visit>
void each_field(GradedItem& item, const Visit& visit) {
  visit({"case", "Its id: doublify/double_array.n=400."}, item.case_id);
  visit({"word", kWords}, item.word);
  visit({"trials", "That were run, each with other inputs."}, item.trials);
  visit(FieldInfo("trial", "The one that failed, counted from 0; null if none did.").needed(),
        item.trial);
  visit({"explanation", "The failure, for a beginner."}, item.explanation);
  visit(
      {"detail", "Several lines: the place, the first wrong element or finding, how many differ."},
      item.detail);
  visit({"reproduce", "One command that fails the same way."}, item.reproduce);
  visit({"note", "Why the grader could not judge it; for staff."}, item.note);
  visit(FieldInfo("error", "Of the worst element; null if there is none.").or_null().needed(),
        AnyNumber{item.error});
  visit(
      FieldInfo("bound", "The greatest error that the worst element may have.").or_null().needed(),
      AnyNumber{item.bound});
  visit({"seconds", "Wall clock, all trials."}, Seconds{item.seconds});
  visit(
      FieldInfo("dropped", "Trials that failed and do not count; only if there are any.").if_set(),
      item.dropped);
  visit(FieldInfo("degree",
                  "Only of the credit `degree`, of an item that is wrong and nothing worse: "
                  "how much of it is as the case asks.")
            .if_set(),
        item.degree);
  visit(FieldInfo("performance",
                  "Only of a case with `performance`: the measurement, and that of the "
                  "baseline. Less is better.")
            .if_set(),
        item.performance);
  visit(FieldInfo("open", "Why its performance could not be measured; only where it could not be.")
            .if_set(),
        item.open);
  visit(FieldInfo("timed_on",
                  "Device and date of the run with --speed-only that timed it; only if one did.")
            .from_month("2026-12")
            .if_set(),
        item.timed_on);
  visit(FieldInfo("evidence",
                  "Pages draw this of the failure: reports of races, and objects with the "
                  "`samples` of a launch (warpmark/device.h), with texts of their lines.")
            .if_set(),
        item.evidence);
  visit(FieldInfo("failed_by").unrecorded(), item.failed_by);
}

static void check_record(const RecordField& record, const GradedItem& item) {
  if (item.word == GradeWord::partly) throw record.member("word").wrong("is a hidden case's");
}

template <typename Visit>
void each_field(GradedCase& one, const Visit& visit) {
  visit("name", one.name);
  visit(FieldInfo("points").at_least(0), one.points);
  visit(FieldInfo("max_points").at_least(0), one.max_points);
  visit({"visibility", "Of a hidden case students get word and hint only."}, one.visibility);
  visit({"credit",
         "all: points only if every item passes. each: every item has its share. degree: "
         "as much of its share as it is right."},
        one.credit);
  visit({"hint", "The lecturer's, for those who lost points here."}, one.hint);
  visit({"extra", "Extra credit: its points count on top of `max_points` of the result."},
        one.extra);
  visit({"word",
         "Of the first item that did not pass; not launched if there are no items. In a "
         "student's copy of a hidden case, which has no items, its word all the same; in "
         "part: some of its items pass."},
        Computed{one.word()});
  visit({"items", "Cases of the suite."}, one.items);
  visit(FieldInfo("from",
                  "Of the credit `degree` alone: a lesser degree of an item is worth nothing.")
            .between(0, 1)
            .when(one.credit == Credit::degree),
        one.from);
  visit(FieldInfo("performance",
                  "Only of a case with `performance`: how a ratio to the baseline makes points.")
            .if_set(),
        one.performance);
  visit(FieldInfo("open",
                  "Why the points of the case are neither given nor lost, only where it is so: "
                  "the measurement they depend on was not possible on this device.")
            .if_set(),
        one.open);
}

// A student's view of a hidden case has a word and no items: it is no whole result.
static void check_record(const RecordField& record, const GradedCase& one) {
  const RecordField word = record.member("word");
  if (word.text() != to_text(one.word())) throw word.wrong("is not what its items say");
  if (one.credit == Credit::degree) record.member("from");
}

template <typename Visit>
void each_field(GradeAdjustment& one, const Visit& visit) {
  visit(FieldInfo("name").one_of("late,extension,adjustment"), one.name);
  visit("points", one.points);
  visit({"reason", "For the student."}, one.reason);
  visit(FieldInfo("whole", "Of late days: the points that they take of a grade that has as many.")
            .from_month("2026-12")
            .if_set(),
        one.whole);
}

template <typename Visit>
void each_field(LeaderboardEntry& entry, const Visit& visit) {
  visit({"by", "`points`, or the case whose ratio it is."}, entry.by);
  visit({"name", "That the student chose, or the pseudonym."}, entry.name);
  visit("pseudonym", entry.pseudonym);
  visit(FieldInfo("value", "Absent while the times that it depends on are open.").if_set(),
        entry.value);
  visit({"order", "asc: less is better."}, Either{entry.ascending, "asc", "desc"});
  visit({"top", "So many places are shown."}, entry.top);
}

template <typename Visit>
void each_field(GradeContext& context, const Visit& visit) {
  visit({"warpmark", "The program's version."}, context.warpmark);
  visit(FieldInfo("assignment_sha256",
                  "Of the assignment and all that it names; empty in a student's copy.")
            .like(kSha256),
        context.assignment_sha256);
  visit(FieldInfo(
            "assignment_version",
            "Another one whenever the assignment is, and for students, too: it needs the course's "
            "secret to be computed, so it confirms no guess. Empty without a secret.")
            .like("^([0-9a-f]{16})?$"),
        context.assignment_version);
  visit(FieldInfo("verdict_version",
                  "The same of what decides verdicts, which points and hints do not; for staff.")
            .like("^[0-9a-f]{16}$")
            .from_month("2026-12")
            .if_set(),
        context.verdict_version);
  visit(FieldInfo("speed_only", "Only of --speed-only: the result has the timed cases alone.")
            .from_month("2026-12")
            .when(context.speed_only),
        context.speed_only);
  visit("device", context.device);
  visit("driver_version", context.driver_version);
  visit("nvrtc_version", context.nvrtc_version);
  visit(FieldInfo("date", "UTC; empty if it was not graded.")
            .like("^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$"),
        context.date);
  visit({"sandbox",
         "Mechanisms that were proved to confine the submission: seccomp, landlock abi 7 …"},
        context.sandbox);
  visit({"no_sandbox", "It was graded although nothing confined it."}, context.no_sandbox);
}

template <typename Visit>
void each_field(GradedFile& one, const Visit& visit) {
  visit({"name", "As the assignment or an include calls it."}, one.name);
  visit(FieldInfo("sha256", "Empty if it was not read.").like(kSha256), one.sha256);
  visit({"problem", "Why its cases were not graded; empty if they were."}, one.problem);
}

template <typename Visit>
void each_field(GradeResult& result, const Visit& visit) {
  visit({"grade", "The version of this format."}, Constant{kGradeVersion});
  visit({"assignment", "The assignment's id."}, result.assignment);
  visit({"title", "The assignment's title."}, result.title);
  visit({"student",
         "The name in all reports: that of the roster, the platform or the folder; of "
         "two with one name with an id behind it."},
        result.student);
  visit(
      {"file", "The submitted file's name; of several files the assignment's names, after commas."},
      result.file);
  visit(FieldInfo(
            "submission_sha256",
            "Of the submitted file; where `files` is there, of the lines that sha256sum prints of "
            "them, sorted by name. Empty if there is none.")
            .like(kSha256),
        result.submission_sha256);
  visit({"key",
         "A hash of all that decides the result: one with the same key need not be graded "
         "again."},
        result.key);
  visit({"state",
         "graded: every case has a verdict. refused: there is no kernel to grade. "
         "compile_error: the compiler refused it, or no kernel in it fits. limit: compiling "
         "it took more time or memory than is allowed. fault: it brought the compiler down. "
         "grader_error: the grader is at fault or did not finish; such a result must not "
         "cost the student anything, and its points count for nothing."},
        result.state);
  visit({"message", "For the student, unless graded: what happened and what to do."},
        result.message);
  visit({"log", "The compiler's, capped and without control characters."}, result.log);
  visit({"staff", "The grader's messages about itself, for staff only."}, result.staff);
  visit(FieldInfo("points", "The sum over the cases, not rounded.").at_least(0), result.points);
  visit(FieldInfo("max_points").at_least(0), result.max_points);
  visit({"cases", "Of the assignment, in its order: points for one or more items each."},
        result.cases);
  visit({"handed_in", "The time of the hand-in, in UTC; empty if unknown."}, result.handed_in);
  visit({"adjustments", "Points that rules of the course add to those of the cases, or take away."},
        result.adjustments);
  visit(FieldInfo("final_points",
                  "The points of the cases with all adjustments, and not below 0: the grade.")
            .at_least(0),
        Computed{result.final_points()});
  visit({"flags", "For staff, as `uses clock64`; costs nothing."}, result.flags);
  visit({"ptx_prints",
         "Fingerprints of the compiled code, for staff, by which submissions are "
         "compared; empty in a student's copy."},
        result.ptx_prints);
  visit(
      {"seconds", "Wall clock, compiling included. In a student's copy only of the visible items."},
      Seconds{result.seconds});
  visit({"context", "The circumstances of the verdict."}, result.context);
  visit(FieldInfo("ids",
                  "The student's ids on the platform, as `canvas:1006`, for staff; absent if "
                  "unknown.")
            .if_set(),
        PlatformIds{result.ids});
  visit(FieldInfo("leaderboard",
                  "Only where the assignment has a leaderboard, and the student a value for it, or "
                  "times are open.")
            .if_set(),
        result.leaderboard);
  // A result of a single file has its name and hash in other members.
  visit(FieldInfo("files",
                  "Of an assignment of several files, and of a file with headers of the "
                  "student's own: all of them.")
            .if_set(),
        result.files);
}

RecordJson to_json(const GradeResult& result) {
  return strict_json(record_json(result));
}

RecordJson to_message(const GradeResult& result) {
  return strict_json(record_json(result, RecordScope::message));
}

RecordJson to_json(const StudentView& view) {
  RecordJson json = to_json(view.result());
  for (size_t i = 0; i < view.words().size(); ++i)
    json["cases"][i]["word"] = to_text(view.words()[i]);
  return json;
}

GradeResult grade_result_from_json(const RecordJson& json, const Position& where) {
  GradeResult result;
  read_record(RecordField(json, where, "schema/grade.json"), result);
  return result;
}

RecordJson grade_schema() {
  return schema_document("grade", fmt::format("Warpmark grade, version {}", kGradeVersion),
                         "result.json of one submission. A student's copy is the same with texts "
                         "emptied and with no items in hidden cases.",
                         record_schema(GradeResult(), /*closed=*/true));
}

}  // namespace warpmark
