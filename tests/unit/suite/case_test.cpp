// Expansion of axes, ids, and the JSON form of a case.
#include "suite/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "suite_text.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing_suites::changed;
using testing_suites::parse;

// A suite with these axes and nothing that depends on them.
std::shared_ptr<const Suite> with_axes(const std::string& axes, const std::string& more = "") {
  return parse("warpmark: 1\nkernel: {entry: f}\naxes: " + axes + "\n" + more);
}

std::vector<std::string> ids(const std::shared_ptr<const Suite>& suite,
                             const ListEvaluator& python = {}, Purpose purpose = Purpose::check) {
  std::vector<std::string> all;
  for (const Case& one : cases(suite, python, purpose)) all.push_back(one.id);
  return all;
}

std::string error_of(const std::shared_ptr<const Suite>& suite, const ListEvaluator& python = {}) {
  try {
    (void)cases(suite, python);
  } catch (const Error& error) {
    return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " +
           error.message();
  }
  return "no error";
}

TEST(Cases, TheFirstAxisVariesSlowest) {
  EXPECT_THAT(ids(with_axes("{t: [float32, float64], n: [1, 2]}")),
              ElementsAre("example.t=float32,n=1", "example.t=float32,n=2", "example.t=float64,n=1",
                          "example.t=float64,n=2"));
}

TEST(Cases, AZippedAxisGoesAlongWithItsOther) {
  EXPECT_THAT(ids(with_axes("{m: {zip: k, values: [7, 8]}, t: [x, y], k: [1, 2]}")),
              ElementsAre("example.m=7,t=x,k=1", "example.m=8,t=x,k=2", "example.m=7,t=y,k=1",
                          "example.m=8,t=y,k=2"));
}

TEST(Cases, TheAxesOfABenchAreZippedOnTheirOwn) {
  const auto suite = with_axes("{k: [1, 2], m: {zip: k, values: [3, 4]}}",
                               "bench: {axes: {k: [5], m: {zip: k, values: [6]}}}\n");
  EXPECT_THAT(ids(suite), ElementsAre("example.k=1,m=3", "example.k=2,m=4"));
  EXPECT_THAT(ids(suite, {}, Purpose::bench), ElementsAre("example.k=5,m=6"));
}

TEST(Cases, ZippedAxesAreOfOneLength) {
  EXPECT_EQ(error_of(with_axes("{k: [1, 2], m: {zip: k, values: [3]}}")),
            "3:19 the axis `m` has 1 value, and `k`, with which it is zipped, has 2");
  const ListEvaluator three = [](const Located&) {
    return std::vector<ArithmeticValue>{int64_t{1}, int64_t{2}, int64_t{3}};
  };
  EXPECT_EQ(error_of(with_axes("{k: [1, 2], m: {zip: k, python: x}}"), three),
            "3:19 the axis `m` has 3 values, and `k`, with which it is zipped, has 2");
}

TEST(Cases, TheLimitCountsZippedAxesOnce) {
  const std::string list = "{python: \"list(range(400))\"}";
  const ListEvaluator many = [](const Located&) {
    std::vector<ArithmeticValue> values;
    for (int64_t i = 0; i < 400; ++i) values.emplace_back(i);
    return values;
  };
  const auto suite = with_axes("{k: " + list + ", m: {zip: k, python: x}, n: {zip: k, python: x}}");
  EXPECT_EQ(cases(suite, many).size(), 400U);
}

TEST(Cases, WithoutAxesThereIsOneDefault) {
  EXPECT_THAT(ids(parse("warpmark: 1\nkernel: {entry: f}\n")), ElementsAre("example.default"));
}

struct Written {
  const char* yaml;
  const char* id;
};
void PrintTo(const Written& row, std::ostream* out) {
  *out << row.yaml;
}
class CaseId : public testing::TestWithParam<Written> {};

TEST_P(CaseId, WritesTheEvaluatedValue) {
  EXPECT_THAT(ids(with_axes(std::string("{v: [") + GetParam().yaml + "]}")),
              ElementsAre(std::string("example.v=") + GetParam().id));
}

INSTANTIATE_TEST_SUITE_P(Classes, CaseId,
                         testing::Values(Written{"2**20", "1048576"}, Written{"-3", "~3"},
                                         Written{"0.1", "0.1"}, Written{"1.0", "1.0"},
                                         Written{"-0.5", "~0.5"}, Written{"1e-5", "1e~05"},
                                         Written{"1e20", "1e20"}, Written{"float32", "float32"},
                                         Written{"Row_Major", "Row_Major"},
                                         Written{"'\"row-major\"'", "row~major"},
                                         Written{"'\"a/b.c\"'", "a/b.c"}, Written{"True", "True"},
                                         Written{"'\"float64\" == float64'", "True"},
                                         Written{"{value: '\"a b; c\"', label: spaced}", "spaced"},
                                         Written{"{value: 5, label: five/5.0~x}", "five/5.0~x"}));

TEST(CaseId, OtherCharactersNeedALabel) {
  for (const char* value : {"a b", "a:b", "a;b", "a,b", "a=b", "a~b", "a*", "\xC3\xA9"}) {
    const std::string axes = std::string("{v: ['\"") + value + "\"']}";
    EXPECT_EQ(error_of(with_axes(axes)), std::string("3:12 the value `") + value +
                                             "` of the axis `v` has characters that case ids "
                                             "cannot have");
  }
  EXPECT_EQ(error_of(with_axes("{v: ['\"\"']}")),
            "3:12 the value `` of the axis `v` has characters that case ids cannot have");
}

TEST(CaseId, TwoOfOneNameAreRefused) {
  EXPECT_EQ(error_of(with_axes("{n: [4, 2**2]}")),
            "3:15 two values of the axis `n` are `4` in case ids");
  EXPECT_EQ(error_of(with_axes("{n: [1, {value: 2, label: '1'}]}")),
            "3:15 two values of the axis `n` are `1` in case ids");
}

TEST(Cases, AComputedListComesFromPython) {
  const auto suite = with_axes("{n: {python: \"[1, -2.5]\"}}");
  const ListEvaluator python = [](const Located& text) {
    EXPECT_EQ(text.text, "[1, -2.5]");
    EXPECT_EQ(text.where.column, 21);
    return std::vector<ArithmeticValue>{int64_t{1}, -2.5};
  };
  EXPECT_THAT(ids(suite, python), ElementsAre("example.n=1", "example.n=~2.5"));
  EXPECT_EQ(error_of(suite), "3:21 the axis `n` needs Python, and there is none here");
  EXPECT_EQ(error_of(suite, [](const Located&) { return std::vector<ArithmeticValue>{}; }),
            "3:21 the axis `n` has no values");
  EXPECT_EQ(error_of(suite,
                     [](const Located&) -> std::vector<ArithmeticValue> {
                       throw usage_error("NameError: k");
                     }),
            "3:21 NameError: k");
}

TEST(Cases, AxisValuesAreFinite) {
  const auto suite = with_axes("{n: {python: \"[float('inf')]\"}}");
  EXPECT_EQ(error_of(suite, [](const Located&) { return std::vector<ArithmeticValue>{HUGE_VAL}; }),
            "3:21 the axis `n` has the value inf, which is not finite");
}

TEST(Cases, BenchHasItsOwnValues) {
  const auto suite = with_axes("{t: [a, b], n: [1]}", "bench: {axes: {n: [2**20, 8]}}\n");
  EXPECT_THAT(ids(suite), ElementsAre("example.t=a,n=1", "example.t=b,n=1"));
  EXPECT_THAT(ids(suite, {}, Purpose::bench),
              ElementsAre("example.t=a,n=1048576", "example.t=a,n=8", "example.t=b,n=1048576",
                          "example.t=b,n=8"));
}

TEST(Cases, TooManyAreRefusedBeforeTheyAreMade) {
  std::string list;
  for (int i = 0; i < 400; ++i) list += std::to_string(i) + ",";
  const std::string axis = "[" + list + "400]";
  EXPECT_EQ(error_of(with_axes("{a: " + axis + ", b: " + axis + ", c: " + axis + "}")).substr(0, 2),
            "3:");
}

TEST(Cases, SkipRulesOverAxesAreKnownEarly) {
  const auto suite = with_axes("{n: [1, 3]}",
                               "skip: [{when: device.warp_size == n, reason: later}, {when: n > 2, "
                               "reason: too large}]\n");
  const std::vector<Case> all = cases(suite);
  EXPECT_FALSE(all[0].skip);
  EXPECT_EQ(all[1].skip, "too large");
  EXPECT_EQ(error_of(with_axes("{n: [1]}", "skip: {when: n, reason: r}\n")),
            "4:14 `when` must be True or False, and is 1");
}

TEST(CaseDocument, FoldsWhatUsesOnlyAxesAndKeepsTheRest) {
  const auto suite =
      parse(changed("block: 128", "block: [n * 2, 1]\n  grid: ceil_div(a.size, n)\n  shared: n"));
  const CaseDocument document = case_document(cases(suite)[1]);
  const auto& launch = document.json["launch"];
  EXPECT_EQ(launch["block"].dump(), "[32,1,1]");
  EXPECT_EQ(launch["grid"].dump(),
            R"json([{"arithmetic":"ceil_div(a.size, n)","at":"/launch/grid/0"},1,1])json");
  EXPECT_EQ(launch["shared"], 16);
  EXPECT_EQ(document.positions.find("/launch/grid/0").line, 13);
  EXPECT_EQ(document.positions.find("/launch/grid/0").column, 9);
}

TEST(CaseDocument, EvaluatesTheBracesOfAnEntry) {
  const auto entry = [](const std::string& written) {
    const auto suite = parse(changed("entry: f", "entry: '" + written + "'"));
    return case_document(cases(suite)[1]).json["kernel"]["entry"].get<std::string>();
  };
  EXPECT_EQ(entry("scale<{ctype(float32)}, {n * 2}>"), "scale<float, 32>");
  EXPECT_EQ(entry("f_{n}"), "f_16");
  EXPECT_EQ(entry("f<{n > 4}, {{n}}>"), "f<true, {n}>");
  EXPECT_EQ(entry("scale<float>"), "scale<float>");
  const auto suite = parse(changed("entry: f", "entry: 'f<{1 // (n - 16)}>'"));
  EXPECT_THROW(case_document(cases(suite)[1]), Error);
}

TEST(CaseDocument, HasMapsAsListsInFileOrder) {
  const CaseDocument document = case_document(cases(parse(testing_suites::good()))[0]);
  EXPECT_EQ(document.json["point"].dump(), R"json([{"name":"n","value":1}])json");
  EXPECT_EQ(document.json["arguments"].dump(),
            R"json([{"name":"a","kind":"in",)json"
            R"json("value":{"numpy":"rng.random(n)","at":"/arguments/0/value"},)json"
            R"json("at":"/arguments/0"},)json"
            R"json({"name":"z","kind":"out",)json"
            R"json("shape":[{"arithmetic":"a.shape","at":"/arguments/1/shape/0"}],)json"
            R"json("at":"/arguments/1"}])json");
  EXPECT_EQ(document.positions.find("/arguments/0/value").line, 9);
  EXPECT_EQ(document.positions.find("/arguments/0/value").column, 11);
}

TEST(CaseDocument, HasChecksByTheirKinds) {
  const auto suite = parse(changed("reference:\n  z: 2 * a\n",
                                   "check:\n"
                                   "  - {sorted: z, order: descending}\n"
                                   "  - {within: z, high: 9, low: n}\n"
                                   "  - {distribution: z, cdf: norm, args: [0, n]}\n"));
  const CaseDocument document = case_document(cases(suite)[0]);
  EXPECT_EQ(document.json["checks"].dump(),
            R"json([{"sorted":"z","order":"descending","at":"/checks/0"},)json"
            R"json({"within":"z","low":{"numpy":"n","at":"/checks/1/low"},)json"
            R"json("high":{"numpy":"9","at":"/checks/1/high"},"at":"/checks/1"},)json"
            R"json({"distribution":"z","cdf":"norm",)json"
            R"json("args":[{"numpy":"0","at":"/checks/2/args/0"},)json"
            R"json({"numpy":"n","at":"/checks/2/args/1"}],"at":"/checks/2"}])json");
  EXPECT_EQ(document.positions.find("/checks/0").line, 14);
  EXPECT_EQ(document.positions.find("/checks/0").column, 14);
  EXPECT_EQ(document.positions.find("/checks/2/args/1").column, 44);
  EXPECT_FALSE(case_document(cases(parse(testing_suites::good()))[0]).json.contains("checks"));
}

TEST(CaseDocument, PassesAPluginsOwnKeysThrough) {
  const auto suite = parse(
      "warpmark: 1\nplugin: reduction\nkernel:\n  map: a[i]*b[i]\n  neutral: 0\n  stages: [x, {k: "
      "v}]\n");
  const CaseDocument document = case_document(cases(suite)[0]);
  EXPECT_EQ(document.json["kernel"].dump(),
            R"json({"map":"a[i]*b[i]","neutral":"0","stages":["x",{"k":"v"}]})json");
  EXPECT_EQ(document.positions.find("/kernel/stages/1/k").line, 6);
  EXPECT_EQ(document.positions.find("/kernel/nowhere").line, 4);
}

struct Unfit {
  const char* from;
  const char* to;
  const char* error;
};
void PrintTo(const Unfit& row, std::ostream* out) {
  *out << row.to;
}
class UnfitValue : public testing::TestWithParam<Unfit> {};

TEST_P(UnfitValue, IsRefusedAtItsPlace) {
  const auto all = cases(parse(changed(GetParam().from, GetParam().to)));
  try {
    (void)case_document(all[0]);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(std::string("/nowhere/suites/example.yaml:").size()),
              GetParam().error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, UnfitValue,
    testing::Values(
        Unfit{"128", "n - 2", "12:10: error: `n - 2` is -1: a number, 0 or more, is needed"},
        Unfit{"128", "n * 0.5",
              "12:10: error: `n * 0.5` is the float 0.5: an int is needed\n  hint: `//` divides to "
              "an int"},
        Unfit{"128", "128 // (n - 1)", "12:14: error: division by zero"},
        Unfit{"128", "n > 2", "12:10: error: `n > 2` is False: a number, 0 or more, is needed"},
        Unfit{"128", "'\"x\"'", "12:11: error: `\"x\"` is x: a number, 0 or more, is needed"},
        Unfit{"random(n)}", "random(n), dtype: n}",
              "9:33: error: unknown dtype `1`\n  hint: known: bool, int8, int16, int32, int64, "
              "uint8, uint16, "
              "uint32, uint64, float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, "
              "complex64, complex128"}));

}  // namespace
}  // namespace warpmark
