// Errors of `scan` and of the further forms of `reduction`, and the contents of their plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plan/trial.hpp"
#include "planned_text.hpp"

namespace warpmark::combining_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Line 3 is the kernel; the arguments are on lines 5 to 7.
std::string reduction(const std::string& keys, const std::string& result = "{out: 1}",
                      const std::string& type = "float") {
  return "plugin: reduction\nkernel: {parameters: 'float *x, int *lut, " + type +
         " *r', map: " + "'x[i]', " + keys + "}\narguments:\n  x: {in: 'np.ones((3, 4))'}\n" +
         "  lut: {in: '[1, 2]'}\n  r: " + result + "\nreference: {r: 3}\n";
}
std::string scan(const std::string& keys, const std::string& y = "{out: x.size}",
                 const std::string& parameters = "float *x, float *y") {
  return "plugin: scan\nkernel: {parameters: '" + parameters + "', " + keys +
         "}\narguments:\n  x: {in: 'np.ones(9)'}\n  y: " + y + "\nreference: {y: 3}\n";
}
std::string in_place(const std::string& keys) {
  return "plugin: scan\nkernel: {parameters: 'int *x', reduce: sum, " + keys +
         "}\narguments:\n  x: {inout: '[1, 2]'}\nreference: {x: 3}\n";
}

struct Bad {
  std::string suite;
  const char* error;
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.suite;
}
class BadCombination : public testing::TestWithParam<Bad> {};

TEST_P(BadCombination, IsRefusedAtItsLine) {
  EXPECT_THAT(error_of(GetParam().suite), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Reduction, BadCombination,
    testing::Values(
        Bad{reduction("reduce: mean", "{out: 1}", "int"), "`mean` of integers needs a floating"},
        Bad{reduction("reduce: variance, accumulate: int"), "3 `variance` of integers needs"},
        Bad{reduction("reduce: argmax, neutral: 0"), "3 `argmax` has its own neutral element"},
        Bad{reduction("reduce: sum, finish: 'total; 1'"), "3 `finish` is one expression"},
        Bad{reduction("reduce: sum, index: 3"), "3 `index` must be the name of an input array"},
        Bad{reduction("reduce: sum, index: r"), "3 `index` must be the name of an input array"},
        Bad{reduction("reduce: sum, index: x"), "3 `x` has the type float, and indices are"},
        Bad{reduction("reduce: sum, index: lut, range: {start: 1}"), "3 `range` and `index` both"},
        Bad{reduction("reduce: sum, index: lut, axis: 0"), "3 `axis` and `index` both"},
        Bad{reduction("reduce: sum, axis: 2"), "3 `axis` must be 0 or 1, and is 2"},
        Bad{reduction("reduce: sum, axis: columns"), "3 `axis` must be 0 or 1, and is columns"},
        Bad{reduction("reduce: sum, axis: 0, range: {start: 1}"), "3 `range` and `axis` both"},
        Bad{reduction("reduce: sum, axis: 0, commutative: false"), "3 `axis` keeps no order"},
        Bad{reduction("reduce: summ"),
            "sum, prod, max, min, any, all, argmax, argmin, mean, variance"}));

INSTANTIATE_TEST_SUITE_P(
    Scan, BadCombination,
    testing::Values(
        Bad{scan("map: 'x[i]', reduce: mean"), "3 `mean` is no operation of a scan"},
        Bad{scan("map: 'x[i]', reduce: argmax"), "3 `argmax` is no operation of a scan"},
        Bad{scan("map: 'x[i]', reduce: a + b"), "3 `kernel` needs `neutral`"},
        Bad{scan("reduce: sum"), "3 `kernel` needs `map`"},
        Bad{scan("map: 'x[i]', reduce: sum, range: {start: 1}"),
            "3 unknown key of `kernel` `range`"},
        Bad{scan("map: 'x[i]', reduce: sum, exclusive: 1"), "3 `exclusive` must be true or false"},
        Bad{scan("map: 'x[i]', reduce: sum, segment: 'x[i];'"), "3 `segment` is one expression"},
        Bad{scan("map: 'y[i]', reduce: sum"), "3 `map` has the output `y`"},
        Bad{scan("map: 'x[i]', reduce: sum, segment: 'y[i]'"), "3 `segment` has the output `y`"},
        Bad{scan("map: 'x[i] = 1', reduce: sum"), "3 `map` writes `x`"},
        Bad{scan("map: 'x[i]', reduce: sum, tune: {block: 64}"), "3 `block` must be at least 96"},
        Bad{scan("map: 'x[i]', reduce: sum, tune: {blocks: 64}"), "known: block, vectors"},
        Bad{scan("map: 'x[i]', reduce: sum, exclusive: true, segment: 'x[i] > 0', "
                 "tune: {vectors: 16}, accumulate: short",
                 "{out: 9}", "char *x, char *y"),
            "3 a thread has 256 elements, and at most 64"},
        Bad{scan("map: 'x[i]', reduce: sum") + "launch: {block: 1}\n", "8 `scan` chooses the"},
        Bad{in_place("map: 'x[i] + x[0]'"), "3 `map` reads `x`, which is overwritten meanwhile"},
        Bad{in_place("map: 'x[i]', segment: 'x[i] > 3'"), "3 `segment` reads `x`, which is"}));

PlannedTrial trial(const std::string& text) {
  PluginLoader loader({std::filesystem::path(WARPMARK_BINARY_DIR) / "lib/warpmark"});
  const auto suite = parse_suite("warpmark: 1\n" + text, "/nowhere/suites/some/x.yaml");
  return make_trial(cases(suite)[0], loader).value_or(PlannedTrial{});
}

std::vector<std::string> claims(const std::string& text) {
  std::vector<std::string> all;
  for (const Claim& claim : trial(text).claims) all.push_back(claim.left.text);
  return all;
}

TEST(Trial, IsOfWhatTheSuiteSays) {
  const std::string own = "reduce: a + b, neutral: 0";
  EXPECT_THAT(claims(reduction(own)), ElementsAre("(a∘b)∘c", "a∘b", "neutral∘a", "a∘neutral"));
  EXPECT_THAT(claims(reduction(own + ", commutative: false")),
              ElementsAre("(a∘b)∘c", "neutral∘a", "a∘neutral"));
  EXPECT_THAT(claims(scan("map: 'x[i]', " + own)),
              ElementsAre("(a∘b)∘c", "neutral∘a", "a∘neutral"));
  EXPECT_THAT(claims(reduction("reduce: max, neutral: 0")), ElementsAre("neutral∘a", "a∘neutral"));
  for (const char* name : {"sum", "max", "argmax", "variance"}) {
    EXPECT_THAT(claims(reduction(std::string("reduce: ") + name)), ElementsAre()) << name;
  }
}

TEST(Trial, TakesTheInputsAndExpectsNothing) {
  const Plan made = trial(in_place("map: 'x[i]', neutral: 0")).planned.plan;
  EXPECT_TRUE(made.expected.empty());
  const auto& launch = std::get<LaunchStep>(made.steps.at(0));
  EXPECT_EQ(launch.entry, "warpmark_trial");
  EXPECT_EQ(launch.arguments.at(0), "x");
  EXPECT_EQ(made.find_buffer("warpmark_left")->shape.size(), 1U);
  const Plan by_index = trial(reduction("reduce: a + b, neutral: 0, index: lut")).planned.plan;
  EXPECT_NE(by_index.find_buffer("lut"), nullptr);
  EXPECT_EQ(by_index.find_buffer("r"), nullptr);
}

Facts scan_facts(int64_t n) {
  Facts facts;
  facts.device["l2_bytes"] = 70 << 20;
  for (const char* name : {"x", "y"}) facts.arrays[name] = {{n}, *find_dtype("float32")};
  facts.arrays["warpmark_states"] = {{}, *find_dtype("uint64")};
  facts.arrays["warpmark_values"] = {{}, *find_dtype("uint32")};
  return facts;
}

Facts reduction_facts(int64_t columns, int64_t results) {
  Facts facts;
  facts.arrays["x"] = {{3, columns}, *find_dtype("float32")};
  facts.arrays["lut"] = {{2}, *find_dtype("int32")};
  facts.arrays["r"] = {{results}, *find_dtype("float32")};
  facts.arrays["warpmark_partials"] = {{}, *find_dtype("uint32")};
  facts.arrays["warpmark_arrived"] = {{528}, *find_dtype("uint32")};
  return facts;
}

TEST(Scan, FillsItsStatesBeforeTheLaunch) {
  const Plan made = plan(scan("map: 'x[i]', reduce: sum")).plan;
  EXPECT_EQ(std::get<FillStep>(made.steps.at(0)).buffer, "warpmark_states");
  const auto& launch = std::get<LaunchStep>(made.steps.at(1));
  EXPECT_EQ(launch.entry, "x_kernel");
  EXPECT_THAT(launch.arguments, ElementsAre("x", "y", "warpmark_n", "warpmark_ahead",
                                            "warpmark_states", "warpmark_values"));
  const Facts facts = scan_facts(1 << 24);
  const Plan ready = resolve(made, facts, {});
  // 683 tiles of 24576, 22 groups of 32, 1 group of 1024, and the counter.
  EXPECT_EQ(std::get<int64_t>(ready.find_buffer("warpmark_states")->shape.at(0)), 683 + 22 + 2);
  EXPECT_EQ(std::get<int64_t>(ready.find_buffer("warpmark_values")->shape.at(0)), 1);
  EXPECT_EQ(std::get<int64_t>(std::get<LaunchStep>(ready.steps.at(1)).grid.at(0)), 683);
  // Tiles of 96 KiB in a seventh of the cache.
  EXPECT_EQ(std::get<int64_t>(*ready.find_scalar("warpmark_ahead")->integer),
            (10 << 20) / (96 << 10));
}

// A thread's values have 96 registers, as far as their size is known, 48 beside flags, 32 beside keys.
TEST(Scan, KeepsFewerValuesThatAreWider) {
  const struct {
    const char* keys;
    int64_t tile;
  } rows[] = {{"reduce: sum", 256 * 4 * 24},
              {"reduce: sum, accumulate: double", 256 * 4 * 12},
              {"reduce: sum, segment: 'i % 7 == 0'", 256 * 4 * 12},
              {"reduce: sum, segment: 'i % 7 == 0', accumulate: double", 256 * 4 * 6},
              {"reduce: sum, segment: 'x[i] == 0'", 256 * 4 * 12},
              {"reduce: sum, segment: 'x[i] == x[i - 1]'", 256 * 4 * 8},
              {"reduce: sum, tune: {block: 128, vectors: 2}", 128 * 4 * 2}};
  for (const auto& [keys, tile] : rows) {
    const Plan ready =
        resolve(plan(scan(std::string("map: 'x[i]', ") + keys)).plan, scan_facts(1 << 24), {});
    EXPECT_EQ(std::get<int64_t>(std::get<LaunchStep>(ready.steps.at(1)).grid.at(0)),
              ((1 << 24) + tile - 1) / tile)
        << keys;
  }
}

TEST(Scan, HasRoomForWiderValues) {
  const Plan made = plan(scan("map: 'x[i]', reduce: sum, accumulate: double")).plan;
  const Facts facts = scan_facts(9);
  const Plan ready = resolve(made, facts, {});
  EXPECT_EQ(std::get<int64_t>(ready.find_buffer("warpmark_values")->shape.at(0)), 4 * (2 + 1));
}

TEST(Scan, NeedsAnElementOfTheOutputForEachOfTheInput) {
  const Plan made = plan(scan("map: 'x[i]', reduce: sum")).plan;
  ASSERT_EQ(made.accesses.size(), 1);
  EXPECT_EQ(made.accesses[0].buffer, "y");
  EXPECT_EQ(made.accesses[0].reason, "the scan has a value for each element of `x`");
}

TEST(Reduction, OfAnAxisHasAResultForEachRowOrColumn) {
  for (const auto& [axis, grid, results] : {std::tuple("0", int64_t{1}, int64_t{4}), {"1", 1, 3}}) {
    const Facts facts = reduction_facts(4, results);
    const Plan made =
        plan(reduction("reduce: sum, axis: " + std::string(axis), "{out: x.size}")).plan;
    const Plan ready = resolve(made, facts, {});
    EXPECT_EQ(std::get<int64_t>(std::get<LaunchStep>(ready.steps.at(0)).grid.at(0)), grid);
    EXPECT_EQ(std::get<int64_t>(ready.accesses.back().count), results);
    EXPECT_EQ(ready.accesses.back().buffer, "r");
  }
}

TEST(Reduction, SplitsFewLongRowsBetweenBlocks) {
  const Facts facts = reduction_facts(1 << 20, 3);
  const Plan ready = resolve(plan(reduction("reduce: sum, axis: 1", "{out: 3}")).plan, facts, {});
  const auto& grid = std::get<LaunchStep>(ready.steps.at(0)).grid;
  EXPECT_EQ(std::get<int64_t>(grid.at(0)), 3);
  EXPECT_EQ(std::get<int64_t>(grid.at(1)), 176);  // 528 blocks for three rows
  EXPECT_EQ(std::get<int64_t>(ready.find_buffer("warpmark_partials")->shape.at(0)), 3 * 176);
}

TEST(Reduction, OfASubsetGoesOverTheIndices) {
  const Plan made = plan(reduction("reduce: sum, index: lut")).plan;
  EXPECT_EQ(std::get<Symbolic>(*made.find_scalar("warpmark_n")->integer).text, "lut.size");
  EXPECT_THAT(made.units[0].source, HasSubstr("const long long i = lut[warpmark_place];"));
  ASSERT_EQ(made.accesses.size(), 1);
  EXPECT_EQ(made.accesses[0].buffer, "x");
  EXPECT_EQ(made.accesses[0].indices, "lut");
  EXPECT_EQ(made.accesses[0].reason, "`map` has `x[i]` for each `i` of `lut`");
}

TEST(Reduction, TakesTheTypeOfItsNameThatFits) {
  const auto source = [](const std::string& keys, const std::string& type) {
    return plan(reduction(keys, "{out: 1}", type)).plan.units[0].source;
  };
  EXPECT_THAT(source("reduce: argmax", "int"), HasSubstr("using accumulator = float;"));
  EXPECT_THAT(source("reduce: any", "int"), HasSubstr("using accumulator = bool;"));
  EXPECT_THAT(source("reduce: variance", "double"), HasSubstr("using accumulator = double;"));
  EXPECT_THAT(source("reduce: mean", "double"), HasSubstr("using accumulator = double;"));
  EXPECT_THAT(source("reduce: sum", "float"), Not(HasSubstr("warpmark_combined")));
}

}  // namespace
}  // namespace warpmark::combining_test
