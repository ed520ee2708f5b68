#include "results/judgement.hpp"

#include <fmt/format.h>

#include "base/record_table.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

template <typename Visit>
void each_field(JudgedPart& part, const Visit& visit) {
  visit(FieldInfo("holds", "Null if it could not be asked, as an earlier part does not hold.")
            .or_null()
            .needed(),
        part.holds);
  visit({"reason", "For the writer, without hidden data; empty if it holds."}, part.reason);
}

template <typename Visit>
void each_field(JudgedFinding& finding, const Visit& visit) {
  visit(FieldInfo("word").one_of("memory error,race,barrier"), finding.word);
  visit({"cases", "Cases in which the device found it first."}, finding.cases);
}

template <typename Visit>
void each_field(JudgedSpeed& speed, const Visit& visit) {
  visit(FieldInfo("by", "`counters`, `gpu` for times, or empty if the task does not ask.")
            .one_of(",counters,gpu"),
        speed.by);
  visit(FieldInfo("counters", "Those that are added up.").if_set(), speed.counters);
  visit(FieldInfo("ratio",
                  "Candidate over the task's own kernel, the geometric mean of all cases; null if "
                  "unknown. Less is better.")
            .or_null()
            .needed(),
        AnyNumber{speed.ratio});
  visit(FieldInfo("low", "Of times: the ends of the 95 % interval.").or_null().needed(),
        AnyNumber{speed.low});
  visit(FieldInfo("high").or_null().needed(), AnyNumber{speed.high});
  visit({"reason", "Why there is no ratio; empty if there is one."}, speed.reason);
}

template <typename Visit>
void each_field(JudgedDigests& digests, const Visit& visit) {
  visit({"task", "SHA-256 of the task, its suites, files and headers."}, digests.task);
  visit({"candidate", "SHA-256 of the candidate."}, digests.candidate);
  visit({"key",
         "Of these two, program, device, compiler and secret: equal keys have equal verdicts."},
        digests.key);
}

template <typename Visit>
void each_field(JudgedLimits& limits, const Visit& visit) {
  visit({"instructions", "Thread-instructions of a launch, where they are counted."},
        limits.instructions);
  visit({"timeout_s", "Of a launch."}, limits.timeout_s);
  visit({"total_s", "Of all cases together, once one ended at a limit."}, limits.total_s);
  visit({"compile_cpu_s", "Processor time of the compiler."}, limits.compile_cpu_s);
  visit({"compile_mib", "Address space of the compiler."}, limits.compile_mib);
  visit({"memory_mib", "Arrays of a case."}, limits.memory_mib);
}

template <typename Visit>
void each_field(Judgement& one, const Visit& visit) {
  visit(FieldInfo("version", "Of this record.").at_least(1), Computed{kJudgementVersion});
  visit({"verdict",
         "right, or the gravest that is not: wrong values or a limit; unclean: a memory error, a "
         "race, a wrong barrier; not compiled; refused; not judged: the judge is at fault."},
        one.verdict);
  visit({"feedback", "The text to hand back to the writer, without hidden data."}, one.feedback);
  visit({"compiled", "It compiles within the limits, and its kernel takes the task's arguments."},
        one.compiled);
  visit({"right", "All cases give right values, in all trials."}, one.right);
  visit({"clean", "The device found no mistake in any case."}, one.clean);
  visit({"honest", "It has nothing that the task forbids."}, one.honest);
  visit({"fast", "Its work or time beside that of the task's own kernel."}, one.fast);
  visit({"log", "The compiler's."}, one.log);
  visit({"cases", "Of the task."}, one.cases);
  visit({"passed", "Cases that pass in all trials."}, one.passed);
  visit({"trials", "Of each case, with other inputs and another schedule of the threads."},
        one.trials);
  visit({"findings", "What the device found, by kind."}, one.findings);
  visit({"noticed", "In the compiled code, as `uses clock64`, for the owner of the task."},
        one.noticed);
  visit({"digests", "Hashes of all that the verdict depends on."}, one.digests);
  visit({"limits", "Time and memory that it may use."}, one.limits);
  visit({"warpmark", "The program's version."}, one.warpmark);
  visit({"device", "Its name."}, one.device);
  visit({"date", "UTC, RFC 3339."}, one.date);
  visit({"sandbox", "The walls that were tried and held."}, one.sandbox);
  visit({"problem", "Of the judge itself; empty unless the verdict is `not judged`."}, one.problem);
  visit({"seconds", "Wall clock, compiling included."}, Seconds{one.seconds});
}

nlohmann::ordered_json to_json(const Judgement& judgement) {
  return strict_json(record_json(judgement));
}

nlohmann::ordered_json judgement_schema() {
  return schema_document("judgement",
                         fmt::format("Warpmark judgement, version {}", kJudgementVersion),
                         "The verdict of `warpmark judge` on one candidate.",
                         record_schema(Judgement(), /*closed=*/true));
}

}  // namespace warpmark
