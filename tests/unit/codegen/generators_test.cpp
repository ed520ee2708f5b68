// Errors of the generators, with their lines, and the contents of their plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "planned_text.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Line 3 is the kernel; the arguments a, x and z are on lines 5 to 7.
std::string elementwise(const std::string& kernel, const std::string& z = "{out: x.shape}") {
  return "plugin: elementwise\nkernel: {" + kernel +
         "}\narguments:\n  a: {scalar: 5}\n  x: {in: rng.random(9)}\n  z: " + z +
         "\nreference: {z: a * x}\n";
}
std::string with(const std::string& operation, const std::string& more = "") {
  return elementwise("parameters: 'float a, float *x, float *z', operation: '" + operation + "'" +
                     more);
}
std::string taking(const std::string& parameters) {
  return elementwise("operation: 'z[i] = a', parameters: '" + parameters + "'");
}
std::string reduction(const std::string& keys, const std::string& arguments = "") {
  return "plugin: reduction\nkernel: {parameters: 'int *x, int *r', " + keys + "}\narguments:\n" +
         (arguments.empty() ? "  x: {in: '[1, 2]'}\n  r: {out: 1}\n" : arguments) +
         "reference: {r: 3}\n";
}

struct Bad {
  std::string suite;
  const char* error;
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.suite;
}
class BadGenerator : public testing::TestWithParam<Bad> {};

TEST_P(BadGenerator, IsRefusedAtItsLine) {
  EXPECT_THAT(error_of(GetParam().suite), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Elementwise, BadGenerator,
    testing::Values(
        Bad{with("z[i] = 1 }"), "3 `}` closes nothing"},
        Bad{with("z[i] = x[i"), "3 `[` is not closed"},
        Bad{with("z[i] = 1 /* on"), "3 a comment `/*` does not end"},
        Bad{with("x[i] = z[i]"), "6 `x` is an input, and `operation` writes it"},
        Bad{with("a = x[i]"), "7 `z` is an output, and `operation` has no `z`"},
        Bad{with(" "), "3 `operation` must be a text"},
        Bad{elementwise("parameters: 'float *x'"), "3 `kernel` needs `operation`"},
        Bad{elementwise("operation: 'z[i] = 1'"), "3 `kernel` needs `parameters`"},
        Bad{with("z[i] = 1", ", operatio: y"), "3 unknown key of `kernel` `operatio`"},
        Bad{with("z[i] = 1", ", tune: {block: 100}"), "3 `block` must be a multiple of 32"},
        Bad{with("z[i] = 1", ", tune: {blocks: 1}"), "known: block, vectors"},
        Bad{with("z[i] = 1", ", tune: 3"), "3 `tune` must be a map"},
        Bad{with("z[i] = 1", ", range: {from: 3}"), "3 unknown key of `range` `from`"},
        Bad{with("z[i] = 1", ", range: {start: 1 +}"), "3 the expression ends too early"},
        Bad{with("z[i] = 1", ", range: [1, 2]"), "3 `range` must be a map"},
        Bad{with("z[i] = 1", ", range: {stop: m}"), "3 `m` is no axis"},
        Bad{with("z[i] = 1", ", range: {stop: y.size}"), "3 unknown array argument `y`"},
        Bad{with("z[i] = 1", ", range: {start: a}"), "3 `a` is a scalar argument"},
        Bad{with("z[i] = 1", ", range: {stop: 9,\n  start: m}"), "4 `m` is no axis"},
        Bad{with("z[i] = 1", ", range: {stop: 9,\n  step: m}"), "4 `m` is no axis"},
        Bad{with("z[i] = 1", ", range: {step: 1,\n  stop: m}"), "4 `m` is no axis"},
        Bad{elementwise("parameters: 'float a, float *x, float *z', operation: 'z[i] = x[i]', "
                        "range: {stop: 10}",
                        "{out: 9}"),
            "7 `z` has 9 elements, but 10, from 0 to 9, are accessed: `operation` has `z[i]` for "
            "each `i` of `range`"},
        Bad{with("z[i] = 1", ", name: 3d"), "3 `3d` is no name for a kernel"},
        Bad{with("z[i] = 1", ", define: {x: 3}"), "3 parameter `x` is also a macro"},
        Bad{with("z[i] = 1") + "launch: {block: 1}\n", "9 `elementwise` chooses the launch"},
        Bad{taking("float *x, float a, float *z"), "5 argument 1 is `a`, and parameter 1 is"},
        Bad{taking("float a, float *x"), "5 `parameters` has 2, and the suite gives 3 arguments"},
        Bad{taking("float *a, float *x, float *z"), "5 `a` is a scalar, and `float *a` a pointer"},
        Bad{taking("float a, float x, float *z"), "6 `x` is an array, and `float x` no pointer"},
        Bad{taking("float a, float *x, const float *z"), "7 `z` is an output, and `const"},
        Bad{taking("float a, float *i, float *z"), "3 parameter `float *i` has a name that is"},
        Bad{taking("float a, float *x, float *x"), "has the name of another"},
        Bad{taking("float a, float **x, float *z"), "is a pointer to pointers"},
        Bad{taking("float a, float &x, float *z"), "is a reference"},
        Bad{taking("float a, , float *z"), "3 `parameters` has an empty place"},
        Bad{taking("float, float *x, float *z"), "3 parameter `float` needs a type and a name"},
        Bad{taking("float a = 3, float *x, float *z"), "has a default value"},
        Bad{taking("float a, float *warpmark_n, float *z"), "has a name that is taken"}));

INSTANTIATE_TEST_SUITE_P(
    Reduction, BadGenerator,
    testing::Values(
        Bad{reduction("map: 'x[i]', reduce: a + b"), "3 `kernel` needs `neutral`"},
        Bad{reduction("map: 'x[i]', neutral: 0"), "3 `kernel` needs `reduce`"},
        Bad{reduction("reduce: sum"), "3 `kernel` needs `map`"},
        Bad{reduction("map: 'x[i]', reduce: a * 2, neutral: 0"), "3 `reduce` has no `b`"},
        Bad{reduction("map: 'x[i]', reduce: summ"), "or is one of sum, prod, max, min"},
        Bad{reduction("map: 'x[i]; 1', reduce: sum"), "3 `map` is one expression"},
        Bad{reduction("map: 'x[i])', reduce: sum"), "3 `)` closes nothing"},
        Bad{reduction("map: 'x[i]', reduce: a + b, neutral: '0;'"), "3 `neutral` is one"},
        Bad{reduction("map: '// none', reduce: sum"), "3 `map` is only a comment"},
        Bad{reduction("map: 'r[0]', reduce: sum"), "3 `map` has the result `r`"},
        Bad{reduction("map: 'x[i] = 1', reduce: sum"), "5 `x` is an input, and `map` writes it"},
        Bad{reduction("map: 'x[i]', reduce: sum, accumulate: float64"), "accumulate: double"},
        Bad{reduction("map: 'x[i]', reduce: sum, commutative: no"), "must be true or false"},
        Bad{reduction("map: 'x[i]', reduce: sum", "  x: {in: '[1]'}\n  r: {out: 2}\n"),
            "6 `r` must have one element"},
        Bad{"plugin: reduction\nkernel: {parameters: 'int *x, int *r', map: '1', reduce: sum}\n"
            "arguments:\n  x: {out: 1}\n  r: {out: 1}\nreference: {r: 3, x: 1}\n",
            "6 `r` is a second output after `x`"},
        Bad{reduction("map: 'x[i]', reduce: sum", "  x: {in: '[1]'}\n  r: {inout: '[1]'}\n"),
            "6 `r` is `inout`"},
        Bad{reduction("map: 'x[i]', reduce: sum") + "launch: {block: 1}\n",
            "8 `reduction` chooses the launch"}));

TEST(Elementwise, MapsItsTextToTheSuitesLines) {
  const PlannedCase made = plan(
      "plugin: elementwise\nkernel:\n  parameters: float *x\n  operation: |\n    // one\n"
      "    x[i] *= 2;\narguments: {x: {inout: '[1]'}}\nreference: {x: '[2]'}\n");
  const Unit& unit = made.plan.units.at(0);
  for (const Region& region : unit.regions) {
    if (region.at != "/kernel/operation") continue;
    EXPECT_EQ(made.positions.find_text(region.at).line, 6);
    size_t begin = 0;
    for (int64_t line = 1; line < region.line; ++line) begin = unit.source.find('\n', begin) + 1;
    EXPECT_EQ(unit.source.substr(begin, 18), "// one\nx[i] *= 2;\n");
    return;
  }
  FAIL() << "no region";
}

TEST(Elementwise, TakesItsRangeAsArithmetic) {
  const Plan made =
      plan(with("z[i] = x[i]", ", range: {start: 3, stop: x.size - 1, step: 2}")).plan;
  EXPECT_EQ(std::get<int64_t>(*made.find_scalar("warpmark_start")->integer), 3);
  EXPECT_EQ(std::get<int64_t>(*made.find_scalar("warpmark_step")->integer), 2);
  EXPECT_EQ(std::get<Symbolic>(*made.find_scalar("warpmark_count")->integer).text,
            "max(0, ceil_div((x.size - 1) - (3), (2)))");
  Facts facts;
  facts.arrays["x"] = {{9}, *find_dtype("float32")};
  facts.arrays["z"] = {{}, *find_dtype("float32")};
  const Plan ready = resolve(made, facts, {});
  EXPECT_EQ(std::get<int64_t>(*ready.find_scalar("warpmark_count")->integer), 3);  // 3, 5, 7
}

// The buffers that must have an element for each index.
std::vector<std::string> accessed(const std::string& text) {
  std::vector<std::string> names;
  for (const Access& access : plan(text).plan.accesses) names.push_back(access.buffer);
  return names;
}

TEST(Elementwise, AccessesAllElementsOfItsVectors) {
  EXPECT_THAT(accessed(with("z[i] = a * x[i]")), ElementsAre("z"));  // `x` gives the length
  EXPECT_THAT(accessed(with("z[i] = x[i]", ", range: {start: 1}")), ElementsAre("x", "z"));
  EXPECT_THAT(accessed(with("if (i > 3) z[i] = x[i]")), ElementsAre("z"));
  EXPECT_THAT(accessed(with("z[i] = x[n - 1 - i]", ", range: {start: 1}")), ElementsAre("z"));
  EXPECT_THAT(accessed(with("z[i / 2] = x[i]")), ElementsAre());
  const Access access = plan(with("z[i] = a * x[i]")).plan.accesses.at(0);
  EXPECT_EQ(std::get<Symbolic>(access.count).text, "x.size");
  EXPECT_EQ(access.start, Size(int64_t{0}));
  EXPECT_EQ(access.step, Size(int64_t{1}));
  EXPECT_EQ(access.reason, "`operation` has `z[i]` for each element of `x`");
  EXPECT_EQ(access.at, "/arguments/2");
}

TEST(Reduction, AccessesAllElementsOfItsVectors) {
  const std::string three =
      "plugin: reduction\nkernel: {parameters: 'int *x, int *y, int *r', map: 'x[i] * y[i]', "
      "reduce: sum}\narguments: {x: {in: '[1]'}, y: {in: '[1]'}, r: {out: 1}}\n"
      "reference: {r: 1}\n";
  EXPECT_THAT(accessed(three), ElementsAre("y"));
  EXPECT_EQ(plan(three).plan.accesses[0].reason, "`map` has `y[i]` for each element of `x`");
}

TEST(Elementwise, HalfNeedsItsHeaderBeforeTheMacros) {
  const std::string source =
      plan(
          "plugin: elementwise\nkernel: {parameters: T *x, operation: 'x[i] += x[i]', define: {T: "
          "ctype(float16)}}\narguments: {x: {inout: '[1]', dtype: float16}}\nreference: {x: 2}\n")
          .plan.units[0]
          .source;
  EXPECT_LT(source.find("#include <cuda_fp16.h>"), source.find("#define T __half"));
  EXPECT_THAT(source, HasSubstr("load<8>"));
}

TEST(Reduction, HasScratchOfItsOwn) {
  const Plan made = plan(reduction("map: 'x[i]', reduce: sum, accumulate: double")).plan;
  const Buffer* partials = made.find_buffer("warpmark_partials");
  ASSERT_NE(partials, nullptr);
  EXPECT_EQ(std::get<int64_t>(partials->shape.at(0)), 2 * 528);
  EXPECT_EQ(made.find_buffer("warpmark_arrived")->value->text, "np.zeros(1, np.uint32)");
  EXPECT_THAT(std::get<LaunchStep>(made.steps.at(0)).arguments,
              ElementsAre("x", "r", "warpmark_n", "warpmark_partials", "warpmark_arrived"));
  EXPECT_EQ(std::get<LaunchStep>(made.steps[0]).entry, "x_kernel");
}

TEST(Reduction, OfHalvesAccumulatesInFloat) {
  const std::string source =
      plan(
          "plugin: reduction\nkernel: {parameters: 'half *x, half *r', map: 'x[i]', reduce: "
          "max}\narguments: {x: {in: '[1]'}, r: {out: 1}}\nreference: {r: 1}\n")
          .plan.units[0]
          .source;
  EXPECT_THAT(source, HasSubstr("using accumulator = float;"));
}

}  // namespace
}  // namespace warpmark
