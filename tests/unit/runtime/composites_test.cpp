// Composites: kernels that keep them, and those that would fool a plain limit.
#include "runtime/composites.hpp"

#include <algorithm>

#include "composite_kernels.hpp"
#include "session_fixture.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// The reasons of the parts that the kernel breaks, none if all hold.
std::vector<std::string> broken_composites(const PlanComposites& asked, const CompositeRuns& runs) {
  std::vector<std::string> texts;
  for (MeasuredComposite& one : measure_composites(asked, runs)) {
    if (!one.broken.empty()) texts.push_back(std::move(one.broken));
  }
  return texts;
}

using testing::AllOf;
using testing::HasSubstr;

class Composites : public SessionTest {
 protected:
  // How `kernel` ends where `expect` is asked for, with `baseline` to measure against.
  Outcome judge(const char* suite, const char* source, const std::string& kernel,
                const std::string& expect, const std::string& baseline) {
    std::string yaml = "kernel: {file: k.cu, entry: " + kernel + "}\n" + suite;
    yaml += "expect: " + expect + "\n";
    if (!baseline.empty()) {
      yaml += "baseline: {kernel: {file: k.cu, entry: " + baseline + "}}\n";
    }
    return run(yaml, source);
  }

  struct Verdict {
    std::string kernel, broken;  ///< "" for one that keeps the composite
  };
  void expect_verdicts(const char* suite, const char* source, const std::string& expect,
                       const std::string& baseline, const std::vector<Verdict>& verdicts) {
    for (const auto& [kernel, broken] : verdicts) {
      SCOPED_TRACE(kernel + " " + expect);
      const Outcome outcome = judge(suite, source, kernel, expect, baseline);
      if (broken.empty()) {
        EXPECT_EQ(outcome.verdict, warpmark::Verdict::passed) << outcome.message;
        continue;
      }
      EXPECT_EQ(outcome.verdict, warpmark::Verdict::failed);
      EXPECT_EQ(outcome.failure, FailureKind::counter);
      EXPECT_THAT(outcome.message, HasSubstr(broken));
    }
  }
};

TEST_F(Composites, CoalescedIsWhatWastesNoSectorAndNoLane) {
  expect_verdicts(
      kCopySuite, kCopies, "{coalesced: true}", "plain",
      {{"plain", ""},
       {"four", ""},
       {"reversed", ""},
       {"strided", "not coalesced: its requests need 12.5 % of the sectors"},
       {"one_lane", "not parallel: on average"},
       {"one_warp", "not parallel: a block of it executes"},
       {"twice", "not coalesced: it moves 1536 sectors of 32 bytes, the baseline 1024"}});
}

TEST_F(Composites, ParallelIsPartOfEach) {
  for (const char* expect :
       {"{parallel: true}", "{coalesced: true}", "{conflict_free: true}", "{tiled: 100000}",
        "{work_efficient: {work: n, smaller: {n: n // 2}}}"}) {
    expect_verdicts(kCopySuite, kCopies, expect, "plain",
                    {{"one_lane", "not parallel"}, {"one_warp", "not parallel"}});
  }
}

// No warp executes much more than if all worked together: 2 times as much would be let pass.
TEST_F(Composites, ParallelIsNoTakingOfTurns) {
  expect_verdicts(kTranspositionSuite, kTranspositions, "{parallel: true}", "padded",
                  {{"padded", ""}, {"turns", "not parallel: a block of it executes"}});
}

TEST_F(Composites, ConflictFreeNeedsSharedMemoryThatIsOfUse) {
  expect_verdicts(
      kTranspositionSuite, kTranspositions, "{conflict_free: true}", "padded",
      {{"padded", ""},
       {"unpadded", "% of the passes over shared memory are for bank conflicts"},
       {"thrice", ""},
       {"diluted",
        "not conflict_free: 128 passes over shared memory are for bank conflicts, 25 at "
        "most, which are 5 % of 2 times the 256 that the baseline needs"},
       {"naive", "not conflict_free: it does not use shared memory"},
       {"detour", "not conflict_free: it moves 4608 sectors of 32 bytes, the baseline"}});
  // Where the baseline has no shared memory the kernel's own passes are the measure.
  expect_verdicts(kTranspositionSuite, kTranspositions, "{conflict_free: true}", "naive",
                  {{"padded", ""},
                   {"thrice", ""},
                   {"unpadded", "% of the passes over shared memory are for bank conflicts"}});
  expect_verdicts(kTranspositionSuite, kTranspositions, "{coalesced: true}", "padded",
                  {{"padded", ""}, {"unpadded", ""}, {"naive", "not coalesced: "}});
}

// A warp of 8 × 8 or 16 × 16 threads lies over several rows of the block, which meet in banks
// whatever the padding is.
TEST_F(Composites, TextbookPaddingIsConflictFreeForEveryTile) {
  constexpr const char* kTiles = R"(
#define K extern "C" __global__ void
template <int side, int rows, int width>
__device__ void tile(float *out, const float *src, int n) {
  __shared__ float tile[side][width];
  int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  for (int r = 0; r < side; r += rows) tile[threadIdx.y + r][threadIdx.x] = src[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * side + threadIdx.x, y = blockIdx.x * side + threadIdx.y;
  for (int r = 0; r < side; r += rows) out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
#define TILES(name, side, rows)                                                          \
  K padded_##name(float *out, const float *src, int n) { tile<side, rows, side + 1>(out, src, n); } \
  K unpadded_##name(float *out, const float *src, int n) { tile<side, rows, side>(out, src, n); }
TILES(8x8, 8, 8)
TILES(16x16, 16, 16)
TILES(32x8, 32, 8)
TILES(32x32, 32, 32)
)";
  const auto suite = [](int width, int rows) {
    return "arguments:\n"
           "  out: {out: src.shape}\n"
           "  src: {in: 'rng.standard_normal((n, n))', dtype: float32}\n"
           "  n: {scalar: n}\n"
           "axes: {n: [64]}\n"
           "launch: {block: [" +
           std::to_string(width) + ", " + std::to_string(rows) + "], grid: [n // " +
           std::to_string(width) + ", n // " + std::to_string(width) +
           "]}\n"
           "reference: {out: src.T}\n";
  };
  for (const auto& [width, rows] : {std::pair{8, 8}, {16, 16}, {32, 8}, {32, 32}}) {
    const std::string name = std::to_string(width) + "x" + std::to_string(rows);
    expect_verdicts(suite(width, rows).c_str(), kTiles, "{conflict_free: true}", "padded_" + name,
                    {{"padded_" + name, ""},
                     {"unpadded_" + name,
                      "% of the passes over shared memory are for bank "
                      "conflicts, 5 % at most: pad the rows"}});
  }
}

// Padding that a product of matrices does not need costs it nothing; columns that meet do.
TEST_F(Composites, PaddedTilesOfAProductAreConflictFree) {
  std::string padded = kProducts;
  padded.replace(padded.find("s[16][16], t[16][16]"), 20, "s[16][17], t[16][17]");
  std::string columns = kProducts;  // t is stored by columns, and read by them
  columns.replace(columns.find("t[threadIdx.y][threadIdx.x] = "), 27,
                  "t[threadIdx.x][threadIdx.y]");
  columns.replace(columns.find("t[i][threadIdx.x]"), 17, "t[threadIdx.x][i]");
  for (const auto& [source, broken] :
       {std::pair{std::string(kProducts), ""},
        {padded, ""},
        {columns, "% of the passes over shared memory are for bank conflicts"}}) {
    expect_verdicts(kProductSuite, source.c_str(), "{conflict_free: true}", "tiled",
                    {{"tiled", broken}});
  }
}

TEST_F(Composites, TiledCountsTheLoadsThatAreLeft) {
  // Each block loads two tiles of 16 rows of 64 bytes for each of its n / 16 steps. A warp of the
  // naive kernel has two rows: for each k two elements of a, and 64 bytes of b.
  const std::string formula = "{tiled: 'n // 16 * (n // 16) * (n // 16) * 2 * 32'}";
  expect_verdicts(kProductSuite, kProducts, formula, "tiled",
                  {{"tiled", ""},
                   {"naive", "not tiled: its loads move 32768 sectors of 32 bytes, 4096 at most"},
                   {"lonely", "not parallel: "}});
}

TEST_F(Composites, WorkEfficientComparesTwoSizes) {
  const std::string work = "{work_efficient: {work: n, smaller: {n: n // 8}}}";
  expect_verdicts(kScanSuite, kScans, work, "warps", {{"warps", ""}});
  // In one block all threads go along with every level of the tree, whoever adds there.
  expect_verdicts(kScanSuite, kScans, work, "tree", {{"tree", "its instructions grow 10.9 times"}});
  expect_verdicts(kScanSuite, kScans, "{work_efficient: {work: n * log2(n), smaller: {n: n // 8}}}",
                  "tree", {{"tree", ""}, {"warps", ""}, {"every", "not work_efficient: "}});
  const Outcome every = judge(kScanSuite, kScans, "every", work, "tree");
  EXPECT_EQ(every.failure, FailureKind::counter);
  EXPECT_THAT(every.message, HasSubstr("not work_efficient: where the work grows 8 times, its "
                                       "instructions grow "));
  EXPECT_THAT(every.message, HasSubstr("; 10 times at most"));
  EXPECT_THAT(every.message, HasSubstr("not work_efficient: its threads execute "));
}

TEST_F(Composites, AKernelWithoutABaselineIsItsOwn) {
  expect_verdicts(kCopySuite, kCopies, "{coalesced: true}", "",
                  {{"plain", ""},
                   {"strided", "not coalesced: its requests need 12.5 %"},
                   {"one_lane", "not parallel: on average"}});
}

TEST_F(Composites, SeveralAreReportedTogetherAndBoundsFirst) {
  const Outcome both = judge(kTranspositionSuite, kTranspositions, "naive",
                             "{coalesced: true, conflict_free: true}", "padded");
  EXPECT_THAT(both.message, HasSubstr("not coalesced: "));
  EXPECT_THAT(both.message, HasSubstr("\nnot conflict_free: "));
  EXPECT_EQ(both.where.line, 10);
  const Outcome bound = judge(kTranspositionSuite, kTranspositions, "naive",
                              "{coalesced: true, counters: {barriers: 1}}", "padded");
  EXPECT_THAT(bound.message, HasSubstr("the counter barriers is 0, and must be == 1"));
  EXPECT_THAT(bound.message, testing::Not(HasSubstr("coalesced")));
}

TEST_F(Composites, ABaselineThatIsWrongIsTheSuitesMistake) {
  const std::string source = std::string(kCopies) +
                             "K wrong(float *out, const float *src, int n) { I out[i] = 1; }\n"
                             "K crash(float *out, const float *src, int n) { I out[i + n] = 1; }\n";
  for (const char* baseline : {"wrong", "crash", "missing"}) {
    const Outcome outcome =
        judge(kCopySuite, source.c_str(), "plain", "{coalesced: true}", baseline);
    EXPECT_EQ(outcome.failure, FailureKind::reference) << baseline;
    EXPECT_THAT(outcome.reason, testing::StartsWith("the baseline fails: "));
  }
}

// A baseline that cannot run leaves nothing to measure: the case fails, and is not skipped.
TEST_F(Composites, ABaselineThatCannotRunIsTheSuitesMistake) {
  const std::string yaml = std::string("kernel: {file: k.cu, entry: plain}\n") + kCopySuite +
                           "expect: {coalesced: true}\n"
                           "baseline:\n"
                           "  kernel: {file: k.cu, entry: plain}\n"
                           "  launch: {block: 32, grid: n // 32, shared: 0}\n";
  for (const char* launch :
       {"block: 2048, grid: n // 2048", "block: 32, grid: n // 32, shared: 233000"}) {
    std::string suite = yaml;
    const size_t at = suite.rfind("block: 32");
    suite.replace(at, suite.rfind('}') - at, launch);
    const Outcome outcome = run(suite, kCopies);
    EXPECT_EQ(outcome.verdict, warpmark::Verdict::failed) << launch;
    EXPECT_EQ(outcome.failure, FailureKind::reference) << launch;
    EXPECT_THAT(outcome.reason, testing::StartsWith("the baseline fails: ")) << launch;
    EXPECT_GT(outcome.reason.size(), 40U) << outcome.reason;
    // The message has the place between.
    EXPECT_THAT(outcome.message,
                HasSubstr(outcome.reason.substr(std::string("the baseline fails: ").size())));
  }
}

TEST_F(Composites, TheSmallerRunMustBeRightToo) {
  const std::string source = std::string(kCopies) +
                             "K only(float *out, const float *src, int n) "
                             "{ I out[i] = n == 4096 ? src[i] : 0; }\n";
  const Outcome outcome = judge(kCopySuite, source.c_str(), "only",
                                "{work_efficient: {work: n, smaller: {n: n // 8}}}", "plain");
  EXPECT_EQ(outcome.failure, FailureKind::wrong);
  EXPECT_THAT(outcome.reason, testing::StartsWith("t.n=512: "));
}

TEST_F(Composites, ABaselineMayHaveALaunchOfItsOwn) {
  const std::string yaml = std::string("kernel: {file: k.cu, entry: plain}\n") + kCopySuite +
                           "expect: {coalesced: true}\n"
                           "baseline:\n"
                           "  kernel: {file: k.cu, entry: four}\n"
                           "  launch: {block: 64, grid: n // 256}\n";
  EXPECT_EQ(run(yaml, kCopies).verdict, warpmark::Verdict::passed);
}

TEST_F(Composites, UpToTwiceTheBaselinesPassesCount) {
  PlanComposites asked;
  asked.conflict_free = true;
  CompositeRuns runs;
  runs.own = {{"shared_load_requests", 960},
              {"shared_load_wavefronts", 1000},
              {"shared_load_ideal_wavefronts", 960},
              {"shared_load_row_excess", 40}};
  for (const int64_t needed : {0, 400, 500, 100000}) {  // none: the kernel's own 1000 count
    runs.baseline = {{"shared_load_ideal_wavefronts", needed}};
    EXPECT_THAT(broken_composites(asked, runs), testing::IsEmpty()) << needed;
  }
  runs.baseline = {{"shared_load_ideal_wavefronts", 399}};
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("40 passes over shared memory are for bank conflicts, "
                                             "39 at most")));
}

// Traffic that no arrangement of lanes spares is no waste: the rest of an array's last sector, and
// of the sector of a value that all lanes read.
TEST_F(Composites, RaggedEndsAndBroadcastsAreCoalesced) {
  const std::string source =
      std::string(kCopies) +
      "K weighted(float *out, const float *src, int n) {\n"
      "  I float w = src[0] * src[9] * src[18] * src[27]; out[i] = w == 12345.f ? w : src[i]; }\n"
      "K guarded(float *out, const float *src, int n) { I if (i < n) out[i] = src[i]; }\n"
      "K loops(float *out, const float *src, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += 64) out[i] = src[i]; }\n";
  EXPECT_EQ(judge(kCopySuite, source.c_str(), "weighted", "{coalesced: true}", "").verdict,
            warpmark::Verdict::passed);
  std::string few = kCopySuite;
  few.replace(few.find("4096"), 4, "0, 1, 5");
  few.replace(few.find("block: 32, grid: n // 32"), 24, "block: 64");
  for (const char* baseline : {"guarded", "loops"}) {
    EXPECT_EQ(judge(few.c_str(), source.c_str(), "guarded", "{coalesced: true}", baseline).verdict,
              warpmark::Verdict::passed);
  }
}

// For authors: what a kernel reaches is said where it holds, too.
TEST_F(Composites, AreMeasuredWhereTheyHold) {
  PlanComposites asked;
  asked.coalesced = true;
  CompositeRuns runs;
  runs.compared = true;
  runs.own = {{"global_load_sectors", 110}, {"global_load_ideal_sectors", 99}};
  runs.baseline = {{"global_load_sectors", 100}, {"global_load_ideal_sectors", 100}};
  const auto measured = measure_composites(asked, runs);
  ASSERT_EQ(measured.size(), 4U);
  EXPECT_EQ(measured[2].reached,
            "its requests need 90.0 % of the sectors that they move (80 % at least)");
  EXPECT_DOUBLE_EQ(measured[2].met, 0.9 / 0.8);
  EXPECT_EQ(measured[2].broken, "");
  EXPECT_EQ(measured[3].reached, "it moves 1.1 × as many sectors as the baseline (1.25 × at most)");
  EXPECT_DOUBLE_EQ(measured[3].met, 1.25 / 1.1);
  runs.own = {{"global_load_sectors", 200}, {"global_load_ideal_sectors", 100}};
  EXPECT_DOUBLE_EQ(measure_composites(asked, runs)[2].met, 0.5 / 0.8);
  EXPECT_THAT(measure_composites(asked, runs)[2].broken, HasSubstr("not coalesced"));
  // A kernel that does nothing causes no division by zero.
  for (const auto& one : measure_composites(asked, CompositeRuns())) {
    EXPECT_EQ(one.met, kMetByFar) << one.reached;
    EXPECT_THAT(one.reached, testing::Not(HasSubstr("nan")));
  }
}

// Few elements keep few lanes busy, in the baseline as well.
TEST_F(Composites, FewLanesDoWhereTheBaselineHasNoMore) {
  PlanComposites asked;
  asked.parallel = true;
  CompositeRuns runs;
  runs.own = {{"ptx_thread_instructions", 120}, {"ptx_warp_instructions", 10}};
  runs.baseline = {{"ptx_thread_instructions", 240}, {"ptx_warp_instructions", 20}};
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("12.0 of the 32 lanes of a warp are active, 16 at")));
  runs.compared = true;
  EXPECT_THAT(broken_composites(asked, runs), testing::IsEmpty());
  runs.own = {{"ptx_thread_instructions", 119}, {"ptx_warp_instructions", 10}};
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("11.9 of the 32 lanes of a warp are active, 12 at")));
}

// A textbook's stencil in tiles moves the borders of its neighbours, too: no kernel reaches 80 %.
TEST_F(Composites, SharesAreThoseOfABaselineThatNeedsLess) {
  PlanComposites asked;
  asked.coalesced = true;
  CompositeRuns runs;
  runs.baseline = {{"global_load_sectors", 300}, {"global_load_ideal_sectors", 200}};
  runs.own = runs.baseline;
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("need 66.7 % of the sectors")))
      << "nothing to compare";
  runs.compared = true;
  EXPECT_THAT(broken_composites(asked, runs), testing::IsEmpty());
  runs.own = {{"global_load_sectors", 300}, {"global_load_ideal_sectors", 160}};
  EXPECT_THAT(broken_composites(asked, runs), testing::IsEmpty());
  runs.own = {{"global_load_sectors", 300}, {"global_load_ideal_sectors", 159}};
  EXPECT_THAT(
      broken_composites(asked, runs),
      testing::ElementsAre(AllOf(HasSubstr("need 53.0 % of the sectors"),
                                 HasSubstr("53.33 % at least (the baseline needs 66.7 %)"))));
}

// A share that is printed as the bound would look as if it held.
TEST_F(Composites, SharesAreRoundedAwayFromTheBound) {
  PlanComposites asked;
  asked.coalesced = true;
  CompositeRuns runs;
  runs.own = {{"global_load_sectors", 100000}, {"global_load_ideal_sectors", 79999}};
  runs.baseline = runs.own;
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("need 79.9 % of the sectors")));
}

TEST_F(Composites, OfAKernelThatMovesNothing) {
  CompositeRuns runs;
  PlanComposites asked;
  asked.coalesced = asked.conflict_free = asked.parallel = true;
  asked.tiled = int64_t{0};
  EXPECT_THAT(broken_composites(asked, runs), testing::IsEmpty()) << "nor does the baseline";
  runs.baseline = {{"global_load_sectors", 1}, {"shared_load_ideal_wavefronts", 1}};
  EXPECT_THAT(broken_composites(asked, runs),
              testing::ElementsAre(HasSubstr("not coalesced: its requests need 0.0 %"),
                                   HasSubstr("it does not use shared memory")));
  EXPECT_THAT(broken_composites({}, runs), testing::IsEmpty());
}

// A counter that is renamed would count as 0 here, unseen.
TEST_F(Composites, AreMadeOfCountersThatThereAre) {
  const std::vector<std::string>& known = counter_names();
  for (const std::string& name : composite_counters()) {
    EXPECT_THAT(known, testing::Contains(name));
  }
}

}  // namespace
}  // namespace warpmark
