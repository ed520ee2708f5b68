// Explanations of faults, limits and races for beginners.
#include "grade/feedback/fault_explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "grade/feedback/explanation.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

std::string said(const std::string& report) {
  return explain_report(Json::parse(report), "scale.cu");
}

TEST(FaultExplanation, ManyThreadsPastTheEnd) {
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "global", "access": "write", "bytes": 4,
                     "thread": [16,0,0], "block": [3,0,0], "count": 112, "argument": "a",
                     "index": 400, "elements": 400, "file": "scale.cu", "line": 5})"),
            "Line 5 writes `a[400]`, but `a` has only 400 elements (index 0 to 399). The first to "
            "do so was thread 16 of block 3, and 111 more accesses did the same. There are usually "
            "more threads than elements, so each thread must ask `if (i < n)` before it uses its "
            "element.");
}

TEST(FaultExplanation, OneThreadOnePastTheEnd) {
  EXPECT_EQ(
      said(R"({"kind": "illegal_address", "space": "global", "access": "read",
                     "thread": [1,2,0], "block": [0,0,0], "count": 1, "argument": "a",
                     "index": 1, "elements": 1, "file": "helper.cuh", "line": 7})"),
      "Line 7 of helper.cuh reads `a[1]`, but `a` has only 1 element (index 0 to 0). It was "
      "thread (1, 2, 0) of block 0. That is one past the end: usually `<=` is written where `<` "
      "is meant, or a neighbour such as `[i + 1]` is used for the last element, too.");
}

// The line that called the header is the one that a student can change.
TEST(FaultExplanation, InAHeaderThatTheSubmissionCalls) {
  EXPECT_THAT(said(R"({"kind": "illegal_address", "space": "global", "access": "read", "count": 1,
                       "argument": "a", "index": 8, "elements": 8,
                       "file": "cooperative_groups/details/async.h", "line": 188,
                       "inlined_at": [{"file": "cooperative_groups/details/async.h", "line": 284},
                                      {"file": "scale.cu", "line": 11},
                                      {"file": "scale.cu", "line": 20}]})"),
              testing::StartsWith("Line 11 reads `a[8]`, but"));
  EXPECT_THAT(
      said(R"({"kind": "race", "space": "shared", "file": "reduce.h", "line": 113,
                       "inlined_at": [{"file": "scale.cu", "line": 11}],
                       "other": {"file": "reduce.h", "line": 190,
                                 "inlined_at": [{"file": "scale.cu", "line": 14}]}})"),
      testing::StartsWith("Line 11 uses shared memory at the same time as another thread in "
                          "line 14, "));
  for (const char* frames :
       {R"([{"file": "other.h", "line": 2}])", R"([{"line": 2}, 3, null, "x"])",
        R"([{"file": "scale.cu"}, {"file": "scale.cu", "line": -1}])", "[]",
        R"({"file": "scale.cu", "line": 2})", "7"}) {
    EXPECT_THAT(said(std::string(R"({"kind": "assert", "file": "reduce.h", "line": 113,
                                     "inlined_at": )") +
                     frames + "}"),
                testing::StartsWith("Line 113 of reduce.h has an `assert`"))
        << frames;
  }
}

TEST(FaultExplanation, BetweenRows) {
  EXPECT_EQ(
      said(R"({"kind": "illegal_address", "space": "global", "access": "write", "count": 4,
                     "thread": [10,0,0], "block": [0,0,0], "argument": "a", "elements": 40,
                     "row": 0, "file": "scale.cu", "line": 3,
                     "allocation": {"side": "inside"}})"),
      "Line 3 writes behind the end of row 0 of `a`, where no elements are: from one row to "
      "the next it is further than a row is long. The first to do so was thread 10 of block "
      "0, and 3 more accesses did the same. Compare the column with the width of a row before "
      "the element is used.");
  EXPECT_THAT(said(R"({"kind": "illegal_address", "space": "global", "access": "write", "count": 1,
                       "argument": "a", "index": 9, "elements": 40, "row": -1})"),
              testing::StartsWith("The kernel writes in front of the first row of `a`, where"));
}

TEST(FaultExplanation, BeforeTheFirst) {
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "global", "access": "read", "count": 1,
                     "argument": "a", "index": -1, "elements": 8})"),
            "The kernel reads `a[-1]`, but `a` has only 8 elements (index 0 to 7). The index is "
            "negative: something like `i - 1` needs a check for the first element.");
}

TEST(FaultExplanation, WriteToAnInput) {
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "global", "access": "write", "bytes": 4,
                     "thread": [3,0,0], "block": [0,0,0], "count": 1, "argument": "a", "index": 3,
                     "elements": 8, "file": "scale.cu", "line": 5,
                     "allocation": {"side": "inside", "read_only": true}})"),
            "Line 5 writes to `a[3]`, but `a` is an input, which the kernel may only read. It was "
            "thread 3 of block 0. Results belong in the output; `const` before the pointer's type "
            "lets the compiler find such lines.");
}

TEST(FaultExplanation, ValuesThatNobodyWrote) {
  EXPECT_EQ(said(R"({"kind": "uninitialised", "origin": "shared", "thread": [3,0,0],
                     "block": [0,0,0], "count": 1, "file": "scale.cu", "line": 5})"),
            "Line 5 uses an element of shared memory that nothing has written yet, so its value is "
            "a matter of luck. It was thread 3 of block 0. Give it a value first, in every thread "
            "and for every index that is read.");
}

TEST(FaultExplanation, ValuesThatNobodyWroteByTheNameOfTheArray) {
  const auto undefined = [](const std::string& more) {
    return said(R"({"kind": "uninitialised", "thread": [3,0,0], "block": [0,0,0], "count": 1,
                    "file": "scale.cu", "line": 9, )" +
                more + "}");
  };
  const std::string end =
      ", so its value is a matter of luck. It was thread 3 of block 0. Give it a value first, in "
      "every thread and for every index that is read.";
  EXPECT_EQ(undefined(R"("origin": "shared", "source": "tile",
                         "other": {"file": "scale.cu", "line": 7},
                         "uses": [{"hazard": "stored", "count": 2, "line": 11}])"),
            "Line 7 reads an element of `tile`, in shared memory, that nothing has written yet, "
            "and line 9 uses it" +
                end);
  // In one line it is reported once.
  EXPECT_EQ(
      undefined(R"("origin": "shared", "source": "tile",
                         "other": {"file": "scale.cu", "line": 9})"),
      "Line 9 uses an element of `tile`, in shared memory, that nothing has written yet" + end);
  EXPECT_EQ(undefined(R"("origin": "local", "source": "mine")"),
            "Line 9 uses an element of `mine`, an array inside the kernel, that nothing has "
            "written yet" +
                end);
  EXPECT_EQ(
      undefined(R"("origin": "global", "source": "src",
                         "other": {"file": "load.cuh", "line": 2,
                                   "inlined_at": [{"file": "scale.cu", "line": 4}]})"),
      "Line 4 reads an element of `src` that nothing has written yet, and line 9 uses it" + end);
  EXPECT_EQ(undefined(R"("origin": "shared", "other": {"line": 7})"),
            "Line 7 reads an element of shared memory that nothing has written yet, and line 9 "
            "uses it" +
                end);
  EXPECT_EQ(undefined(R"("origin": "register")"),
            "Line 9 uses a variable that nothing has written yet" + end);
  EXPECT_THAT(undefined(R"("origin": ["x"], "source": {"a": 1}, "other": [3], "uses": 5)"),
              testing::StartsWith("Line 9 uses a variable that"));
}

TEST(FaultExplanation, NoArgumentAtAll) {
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "global", "access": "write",
                     "thread": [0,0,0], "block": [0,0,0], "count": 1, "line": 2,
                     "file": "scale.cu"})"),
            "Line 2 writes to memory that belongs to none of the kernel's arguments. It was thread "
            "0 of block 0. Perhaps the pointer is null or was never set, or an index on the way to "
            "it is far too great.");
}

TEST(FaultExplanation, SharedAndLocalMemory) {
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "shared", "access": "write", "bytes": 4,
                     "thread": [64,0,0], "block": [0,0,0], "count": 64, "line": 4,
                     "file": "scale.cu", "allocation": {"bytes": 256, "side": "after"}})"),
            "Line 4 writes shared memory outside of what the block has, which is 256 bytes. The "
            "first to do so was thread 64 of block 0, and 63 more accesses did the same. Either "
            "the `__shared__` array is too small for the number of threads in a block, or the "
            "index is too great.");
  // No index is small enough where there is nothing.
  EXPECT_THAT(said(R"({"kind": "illegal_address", "space": "shared", "access": "write", "line": 4,
                       "message": "out-of-bounds shared write of 4 bytes at offset 0 of part, which has 0 bytes, by thread (0,0,0) of block (0,0,0) and 127 more"})"),
              testing::HasSubstr("no dynamic shared memory"));
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "shared", "access": "write", "line": 4,
                     "allocation": {"bytes": 0, "side": "after"}})"),
            "Line 4 writes shared memory outside of what the block has, which is nothing. This "
            "launch gives the kernel no dynamic shared memory: declare the array with a size, as "
            "in `__shared__ float part[128];`, and not as `extern __shared__`.");
  EXPECT_EQ(said(R"({"kind": "illegal_address", "space": "local", "access": "read", "line": 9})"),
            "Line 9 reads from an array inside the kernel, outside its bounds. Compare the index "
            "with the size in the array's declaration.");
}

TEST(FaultExplanation, Misaligned) {
  EXPECT_EQ(said(R"({"kind": "misaligned_address", "space": "global", "bytes": 16, "line": 3,
                     "count": 1})"),
            "Line 3 uses 16 bytes at once at an address that is not a multiple of 16. A pointer "
            "that was cast to a wider type, as from `float *` to `float4 *`, may only be used "
            "where the wider type could lie.");
}

TEST(FaultExplanation, BarriersAndRaces) {
  EXPECT_EQ(said(R"({"kind": "barrier", "line": 6, "message":
                     "32 of 64 threads wait at barrier 0 for others that never reach it"})"),
            "Some threads of a block wait at a barrier (line 6) such as `__syncthreads()` for "
            "others that never come to it. All threads of a block must reach it: take it out of "
            "the `if`, and let no thread `return` before it.");
  EXPECT_THAT(said(R"({"kind": "barrier", "line": 6, "message":
                       "lanes wait for others of the instruction's mask that never reach it"})"),
              testing::StartsWith("Some threads of a warp wait at an operation (line 6), such as "
                                  "`__syncwarp()` or `__shfl_sync()`, for others that its mask"));
  EXPECT_THAT(said(R"({"kind": "sync", "line": 6, "message":
                       "Invalid arguments: the mask of the operation does not name the lane that "})"),
              testing::StartsWith("An operation of a warp (line 6), such as `__shfl_sync()`, is "
                                  "executed by a thread that its mask does not name."));
  EXPECT_THAT(
      said(
          R"({"kind": "sync", "line": 6, "message": "Divergent thread(s) in warp: values are read from lanes of the warp that have left the kernel: lane 3"})"),
      testing::HasSubstr("reads values of threads that have left the kernel"));
  EXPECT_THAT(said(R"({"kind": "barrier", "line": 6, "message":
                       "5 threads wait at an mbarrier for 2 more arrivals"})"),
              testing::StartsWith("Threads wait at an mbarrier (line 6) for a phase"));
  EXPECT_THAT(said(R"({"kind": "barrier", "line": 6, "message":
                       "32 of 64 threads wait at the cluster's barrier for others that never"})"),
              testing::StartsWith("Some threads wait at the barrier of a cluster (line 6)"));
  EXPECT_EQ(said(R"({"kind": "barrier", "message": "barrier 17 does not exist; a block …"})"),
            "A barrier is used in a way that no GPU allows: barrier 17 does not exist; a block ….");
  EXPECT_EQ(said(R"({"kind": "race", "space": "shared", "line": 8, "thread": [1,0,0],
                     "block": [0,0,0], "count": 2})"),
            "Line 8 uses shared memory at the same time as another thread, and one of them writes, "
            "so the result is a matter of luck. The first to do so was thread 1 of block 0, and 1 "
            "more access did the same. Within a block `__syncthreads()` between the two accesses "
            "puts them in order, and between blocks nothing does in a launch; to add up in one "
            "place use `atomicAdd`.");
  EXPECT_THAT(said(R"({"kind": "race", "space": "shared", "line": 8, "block": [1,0,0],
                       "other": {"line": 6, "block": [1,0,0]}})"),
              testing::EndsWith("matter of luck. `__syncthreads()` between the two accesses puts "
                                "them in order; to add up in one place use `atomicAdd`."));
  EXPECT_THAT(said(R"({"kind": "race", "space": "global", "argument": "sums", "line": 8,
                       "block": [1,0,0], "other": {"line": 8, "block": [0,0,0]}})"),
              testing::EndsWith("matter of luck. The two threads are in different blocks, 1 and 0, "
                                "which `__syncthreads()` does not put in order: let each block "
                                "write different elements, or use `atomicAdd` to add up in one "
                                "place."));
  EXPECT_THAT(said(R"({"kind": "race", "space": "shared", "line": 8, "other": {"line": 6}})"),
              testing::StartsWith("Line 8 uses shared memory at the same time as another thread in "
                                  "line 6, and one of them writes"));
}

TEST(FaultExplanation, LimitsAndTraps) {
  EXPECT_EQ(said(R"({"kind": "limit", "message":
                     "the launch executed 2000000001 thread-instructions, its budget is 2000"})"),
            "The kernel executed more instructions than it may. Usually a loop never ends: is its "
            "counter increased, and does its condition become false at some time? In a loop such "
            "as `for (i = …; i < n; i += step)` a step of 0 is enough.");
  EXPECT_THAT(said(R"({"kind": "limit", "message":
                       "the launch took longer than its limit of 5 ms"})"),
              testing::StartsWith("The kernel took longer than it may. Usually a loop"));
  EXPECT_EQ(said(R"({"kind": "trap", "line": 3, "thread": [0,0,0], "block": [0,0,0]})"),
            "Line 3 ended the kernel on purpose: by `__trap()`, by an `assert` that does not hold, "
            "or because a function that returns a value came to its end without `return`. It was "
            "thread 0 of block 0.");
  EXPECT_EQ(said(R"({"kind": "stack_overflow", "line": 3})"),
            "A thread ran out of memory for its calls (line 3): a function calls itself without "
            "end, or has arrays that are too large for a thread.");
}

Outcome fault_outcome(FailureKind kind, const std::string& reason) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = kind;
  outcome.reason = reason;
  return outcome;
}

TEST(FaultExplanation, TheFirstOfSeveral) {
  Outcome outcome = fault_outcome(FailureKind::fault, "x");
  outcome.findings = {Json::parse(R"({"kind": "trap", "line": 3})"),
                      Json::parse(R"({"kind": "trap", "line": 9})"),
                      Json::parse(R"({"kind": "race", "line": 8})")};
  // A finding without a name of its own is left out.
  EXPECT_THAT(explain(outcome, {}),
              testing::EndsWith(" Mend this first: a race in line 8 may follow from it."));
  outcome.findings.pop_back();
  outcome.findings[0]["severity"] = "warning";  // which costs nothing
  EXPECT_THAT(explain(outcome, {}), testing::StartsWith("Line 9 ended"));
  EXPECT_THAT(explain(outcome, {}), testing::Not(testing::HasSubstr("Mend this first")));
}

TEST(FaultExplanation, CausesComeBeforeWhatFollowsFromThem) {
  const Json race = Json::parse(R"({"kind": "race", "line": 7})");
  const Json early = Json::parse(R"({"kind": "uninitialised", "line": 9, "message": "stored"})");
  const Json outside = Json::parse(R"({"kind": "illegal_address", "line": 12})");
  const Json address =
      Json::parse(R"({"kind": "uninitialised", "line": 12, "message": "used as an address"})");
  Outcome outcome = fault_outcome(FailureKind::finding, "x");
  outcome.findings = {early, race, race};
  EXPECT_THAT(explain(outcome, {}), testing::StartsWith("Line 7 uses"));
  EXPECT_THAT(explain(outcome, {}),
              testing::EndsWith(
                  " Mend this first: the use of an undefined value in line 9 may follow from it."));
  outcome.findings = {race, outside, address, early};
  EXPECT_THAT(explain(outcome, {}), testing::StartsWith("Line 12 uses a variable that nothing"));
  EXPECT_THAT(explain(outcome, {}),
              testing::EndsWith("Mend this first: an access out of bounds in line 12 and a race in "
                                "line 7 and 1 more may follow from it."));
}

TEST(FaultExplanation, SpeaksOfPythonToAFileInPython) {
  Outcome outcome = fault_outcome(FailureKind::fault, "x");
  outcome.findings = {
      Json::parse(R"({"kind": "illegal_address", "space": "global", "access": "read", "line": 3,
                                      "argument": "x", "index": 40, "elements": 32, "count": 3})")};
  ExplainContext context;
  context.file = "k.cu";
  EXPECT_THAT(explain(outcome, context), testing::HasSubstr("each thread must ask `if (i < n)`"));
  context.file = "k.py";
  EXPECT_THAT(explain(outcome, context), testing::HasSubstr("as by `mask=i < n` (Triton)"));
  outcome.findings = {
      Json::parse(R"({"kind": "race", "space": "shared", "line": 8, "block": [1,0,0],
                                      "other": {"line": 6, "block": [1,0,0]}})")};
  EXPECT_THAT(explain(outcome, context), testing::Not(testing::HasSubstr("__syncthreads")));
  EXPECT_THAT(explain(outcome, context), testing::HasSubstr("`tl.atomic_add`"));
}

TEST(FaultExplanation, WithoutReports) {
  EXPECT_THAT(explain(fault_outcome(FailureKind::limit, "no answer within 60 s"), {}),
              testing::StartsWith("The kernel did not end in time and was stopped."));
  EXPECT_THAT(explain(fault_outcome(FailureKind::fault, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"), {}),
              testing::StartsWith("The kernel used memory outside of its arrays, or by a pointer"));
  EXPECT_THAT(explain(fault_outcome(FailureKind::crash, "the worker died"), {}),
              testing::StartsWith("The program that runs the kernel ended"));
  EXPECT_EQ(explain(fault_outcome(FailureKind::driver, "too much shared memory"), {}),
            "The device could not run the kernel: too much shared memory. A kernel may want more "
            "shared memory, registers or threads than there are.");
}

TEST(FaultExplanation, ReportsAreHostile) {
  EXPECT_EQ(said("[]"), "");
  EXPECT_EQ(said(R"({"kind": "new"})"), "");
  EXPECT_EQ(said(R"({"kind": "heap", "message": "free of device memory that was freed already",
                     "line": 3})"),
            "The kernel made a mistake in line 3: free of device memory that was freed already.");
  const std::string text =
      said(R"({"kind": "illegal_address", "space": 7, "thread": [1, "x", {}], "line": -5,
               "index": 1e300, "elements": "many", "argument": ["a"], "file": {"a": 1},
               "allocation": [1], "count": "9"})");
  EXPECT_THAT(text, testing::StartsWith("The kernel reads from memory"));
  const Json named = {{"kind", "illegal_address"},
                      {"space", "global"},
                      {"access", "read"},
                      {"argument", "\x1b[2J" + std::string(1000, 'a')},
                      {"index", 5},
                      {"elements", 3},
                      {"file", "::notice"},
                      {"line", 1}};
  EXPECT_LT(explain_report(named, "scale.cu").size(), 600U);
  EXPECT_THAT(explain_report(named, "scale.cu"), testing::Not(testing::HasSubstr("\x1b")));
}

TEST(FaultExplanation, RandomMembersNeverBreakIt) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const std::vector<Json> values = {nullptr, true,     -1,       400,       uint64_t{1} << 63,
                                    0.5,     "text",   "\xff",   {1, 2, 3}, {{"bytes", "x"}},
                                    "write", "shared", "global", "local"};
  const std::vector<std::string> kinds = {"illegal_address", "misaligned_address",
                                          "barrier",         "race",
                                          "limit",           "trap",
                                          "stack_overflow",  "invalid_pc",
                                          "assert",          "unsupported_instruction",
                                          "uninitialised"};
  for (int round = 0; round < 4000; ++round) {
    Json report = {{"kind", kinds[random() % kinds.size()]}};
    for (const char* key :
         {"space", "access", "bytes", "thread", "block", "count", "argument", "index", "elements",
          "allocation", "file", "line", "message", "origin", "source", "other", "uses"}) {
      if (random() % 2 == 0) report[key] = values[random() % values.size()];
    }
    EXPECT_NE(explain_report(report, "scale.cu"), "");
  }
}

}  // namespace
}  // namespace warpmark
