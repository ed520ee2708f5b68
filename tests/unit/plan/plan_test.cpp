// The JSON form of a plan: both ways, and strict.
#include "plan/plan.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/plan_reader.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

// Every member and every alternative once.
Plan full_plan() {
  Plan plan;
  plan.suite = "s";
  plan.case_id = "s.n=4,x=0.5";
  plan.point = {{"n", int64_t{4}}, {"x", 0.5}, {"f", true}, {"t", std::string("float32")}};
  plan.units = {{"k.cu", "", "/kernel/file", {"-DT=float"}},
                {"", "void f();", "/kernel/source", {}, {"include"}, {0}},
                {"", "a\nb\nc\n", "", {}, {}, {}, {{1, ""}, {2, "/kernel/operation"}, {3, ""}}}};
  plan.buffers = {
      {"a", ArgumentKind::inout, find_dtype("float32"), {}, NumpyText{"rng.random(4)", "/a"}, "/x"},
      {"b", ArgumentKind::in, std::nullopt, {}, NumpyText{"[1]", ""}, ""},
      {"z",
       ArgumentKind::out,
       std::nullopt,
       {int64_t{4}, Symbolic{"a.size", "/z"}},
       std::nullopt,
       ""},
      {"c", ArgumentKind::in, std::nullopt, {}, NumpyText{"v.py:c", "/c", true}, ""}};
  plan.scalars = {{"k", find_dtype("uint32"), {"3", "/k"}, "/arguments/3", {}},
                  {"m", find_dtype("int64"), {}, "", Symbolic{"a.size", "/m"}},
                  {"l", find_dtype("int8"), {}, "", int64_t{-3}}};
  Scalar map{"map", std::nullopt, {}, "/m", {}};
  map.tensor_map = PlanTensorMap{"a",
                                 {Symbolic{"n", "/b"}, int64_t{8}},
                                 {int64_t{1}, int64_t{2}},
                                 {Symbolic{"a.shape", "/s"}},
                                 {int64_t{64}},
                                 {TensorType::tf32, TensorInterleave::none, TensorSwizzle::bytes_64,
                                  TensorPromotion::bytes_256, TensorFill::nan},
                                 "/m"};
  plan.scalars.push_back(map);
  plan.accesses = {
      {"z", Symbolic{"a.size - 1", "/s"}, int64_t{-1}, Symbolic{"a.size", "/n"}, "", "it is", "/x"},
      {"a", int64_t{0}, int64_t{1}, int64_t{4}, "", "it is", ""}};
  LaunchStep launch;
  launch.unit = 1;
  launch.entry = "f";
  launch.grid = {Symbolic{"device.multiprocessors", "/g"}, int64_t{2}, int64_t{1}};
  launch.shared = int64_t{16};
  launch.arguments = {"a", "k", "z"};
  plan.steps = {FillStep{"z", 255, "/f"}, CopyStep{"a", "z", ""}, launch};
  plan.expected = {
      {"z", {"2 * a", "/r"}, {ToleranceKind::ulp, NumpyText{"2", "/u"}, {}, {}, NanPolicy::forbid}},
      {"a",
       {"a", ""},
       {ToleranceKind::close, {}, NumpyText{"1e-6", ""}, NumpyText{"0", ""}, NanPolicy::equal}}};
  plan.expected[0].tolerance.atol = NumpyText{"1e-6", "/t"};
  plan.checks = {{CheckKind::sorted, "z", "descending", {}, {}, "/checks/0"},
                 {CheckKind::permutation, "a", "", {{"of", NumpyText{"a", "/o"}}}, {}, ""},
                 {CheckKind::within, "z", "", {{"low", NumpyText{"0", "/l"}}}, {}, ""},
                 {CheckKind::moments,
                  "z",
                  "",
                  {{"mean", NumpyText{"0", ""}}, {"sigmas", NumpyText{"5", ""}}},
                  {},
                  ""},
                 {CheckKind::distribution, "z", "norm", {}, {NumpyText{"0", ""}}, ""},
                 {CheckKind::function, "v.py:c", "", {}, {}, "/checks/5"}};
  plan.bytes = Symbolic{"2 * a.nbytes", "/bytes"};
  plan.flops = 1.5;
  plan.peak_flops_per_s = 9.9e14;
  plan.fault = Fault{"illegal_address", "z"};
  plan.limits = {0.5, 512, 1'000'000'000, 4096, 16};
  plan.requirements = {"exact_bounds"};
  plan.skip = {{true, "always"}, {Symbolic{"a.size > 2", "/s"}, "later"}};
  plan.restore = Restore::each;
  return plan;
}

TEST(PlanJson, GoesBothWays) {
  const Plan plan = full_plan();
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_EQ(plan_from_json(Json::parse(describe(plan))), plan);
}

TEST(PlanJson, AnAccessIsOfAllFromTheFirstByDefault) {
  Json json = to_json(full_plan());
  json["accesses"] = Json::parse(R"([{"buffer": "a", "count": 4, "reason": "it is"}])");
  const Access access{"a", int64_t{0}, int64_t{1}, int64_t{4}, "", "it is", ""};
  EXPECT_EQ(plan_from_json(json).accesses, std::vector<Access>{access});
  json.erase("accesses");
  const Plan none = plan_from_json(json);
  EXPECT_TRUE(none.accesses.empty());
  EXPECT_FALSE(to_json(none).contains("accesses"));
}

TEST(PlanJson, EveryWayToEndGoesBothWays) {
  Plan plan = full_plan();
  plan.fault.reset();
  plan.report = Reports{{"trap"}, ""};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.report = Reports{{"race", "sync"}, "a"};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.report.reset();
  plan.compile_error = CompileError{""};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.compile_error->text = "undefined";
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.compile_error.reset();
  plan.counters = {{"barriers", "==", int64_t{3}},
                   {"ptx_flops", "<=", 0.5},
                   {"global_load_sectors", ">", Symbolic{"a.nbytes // 32", "/expect/counters/x"}}};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.composites.coalesced = true;
  plan.composites.tiled = int64_t{7};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  plan.counters.clear();
  plan.composites = {true, false, true, std::nullopt, Symbolic{"n", "/expect/work_efficient"}};
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
}

TEST(PlanJson, DescribeKeepsLinesShortAndEndsInANewline) {
  const std::string text = describe(full_plan());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_THAT(text, testing::HasSubstr("  \"point\": [\n"));
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, 100U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

struct PlanMistake {
  const char* pointer;
  const char* value;  // JSON; "" erases
  const char* error;
};
void PrintTo(const PlanMistake& row, std::ostream* out) {
  *out << row.pointer << " = " << row.value;
}
class BadPlan : public testing::TestWithParam<PlanMistake> {};

TEST_P(BadPlan, IsRefusedByPointer) {
  Json json = to_json(full_plan());
  const Json::json_pointer pointer(GetParam().pointer);
  if (*GetParam().value == '\0') {
    json.at(pointer.parent_pointer()).erase(pointer.back());
  } else {
    json[pointer] = Json::parse(GetParam().value);
  }
  try {
    (void)plan_from_json(json);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), std::string("the plan's ") + GetParam().error);
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Members, BadPlan,
    testing::Values(
        PlanMistake{"/warpmark", "2", "`/warpmark` must be an integer from 1 to 1"},
        PlanMistake{"/suite", "", "`/` lacks the member `suite`"},
        PlanMistake{"/suite", "3", "`/suite` must be a string"},
        PlanMistake{"/units/0/source", "\"x\"", "`/units/0` needs one of `file` and `source`"},
        PlanMistake{"/units/0/options", "[1]", "`/units/0/options/0` must be a string"},
        PlanMistake{"/units/0/option", "[]",
                    "`/units/0` has the unknown member `option`; known: file, source, "
                    "compiler, image, options, include, link, regions, at"},
        PlanMistake{"/units/0/regions", R"([{"line": 1}])",
                    "`/units/0` has `regions`, which a source without `at` may have"},
        PlanMistake{"/units/2/regions", R"([{"line": 2}, {"line": 2}])",
                    "`/units/2/regions/1/line` must be an integer from 3 to 9223372036854775807"},
        PlanMistake{"/scalars/1/integer", "", "`/scalars/1` needs one of `value` and `integer`"},
        PlanMistake{"/scalars/2/integer", "1.5",
                    "`/scalars/2/integer` must be an integer from -9223372036854775808 to "
                    "9223372036854775807"},
        PlanMistake{"/units/0/link", "[3]", "`/units/0` links unit 3, which there is not"},
        PlanMistake{"/units/0/link", "[0]", "`/units/0` links unit 0, which it is itself"},
        PlanMistake{"/units/0/link", "[1]", "`/units/0` links unit 1, which links others"},
        PlanMistake{"/units/1/link", "[0, 0]", "`/units/1` links unit 0 twice"},
        PlanMistake{"/units/1/link", "[-1]",
                    "`/units/1/link/0` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{
            "/steps/2/launch/unit", "0",
            "`/steps/2/launch/unit` is linked with another, from which it is to be launched"},
        PlanMistake{"/buffers/3/value/function", "\"v.py:\"",
                    "`/buffers/3/value/function` must be FILE.py:NAME"},
        PlanMistake{"/limits/timeout_s", "0", "`/limits/timeout_s` must be more than 0"},
        PlanMistake{"/limits/memory_mib", "0.5",
                    "`/limits/memory_mib` must be an integer from 1 to 9223372036854775807"},
        PlanMistake{"/expect", R"({"coalesced": 1})", "`/expect/coalesced` must be true or false"},
        PlanMistake{"/expect", R"({"tiled": -1})",
                    "`/expect/tiled` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{"/expect", R"({"parallel": false})", "`/expect` expects nothing"},
        PlanMistake{"/expect",
                    R"({"counters": [{"name": "barriers", "comparison": "=", "bound": 1}]})",
                    "`/expect/counters/0/comparison` must be a comparison"},
        PlanMistake{"/expect",
                    R"({"counters": [{"name": "barriers", "comparison": "<", "bound": -1}]})",
                    "`/expect/counters/0/bound` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{"/expect", "{\"report\": \"trap\", \"compile_error\": \"\"}",
                    "`/expect` has the unknown member `report`; known: compile_error"},
        PlanMistake{"/buffers", "{}", "`/buffers` must be an array"},
        PlanMistake{"/buffers/1/name", "\"a\"", "`/buffers/1` has a name that is taken"},
        PlanMistake{"/buffers/1/direction", "\"scalar\"",
                    "`/buffers/1/direction` must be one of in, out, inout, scratch"},
        PlanMistake{
            "/buffers/1/value", "",
            "`/buffers/1` needs `shape` if it is out or scratch, else `value`, and not both"},
        PlanMistake{
            "/buffers/2/value", "{\"numpy\": \"1\"}",
            "`/buffers/2` needs `shape` if it is out or scratch, else `value`, and not both"},
        PlanMistake{"/buffers/0/dtype", "\"float31\"", "`/buffers/0/dtype` is no dtype: `float31`"},
        PlanMistake{"/buffers/2/shape/0", "-1",
                    "`/buffers/2/shape/0` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{"/buffers/2/shape/0", "1.5",
                    "`/buffers/2/shape/0` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{"/buffers/2/shape/0", "18446744073709551615",
                    "`/buffers/2/shape/0` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{
            "/buffers/2/shape/1/arithmetic", "\"a.size +\"",
            "`/buffers/2/shape/1/arithmetic` is not arithmetic: the expression ends too early"},
        PlanMistake{"/scalars/0/name", "\"z\"", "`/scalars/0` has a name that is taken"},
        PlanMistake{"/scalars/0/value", "3", "`/scalars/0/value` must be an object"},
        PlanMistake{"/scalars/3/tensor_map/array", "\"k\"",
                    "`/scalars` has a tensor map of no array: `k`"},
        PlanMistake{"/scalars/3/tensor_map/box", "",
                    "`/scalars/3/tensor_map` lacks the member `box`"},
        PlanMistake{"/scalars/3/tensor_map/swizzle", "\"96B\"",
                    "`/scalars/3/tensor_map/swizzle` must be one of none, 32B, 64B, 128B"},
        PlanMistake{"/scalars/3/dtype", "\"uint8\"",
                    "`/scalars/3` has `tensor_map`, which a scalar without dtype and value may "
                    "have"},
        PlanMistake{"/accesses", "{}", "`/accesses` must be an array"},
        PlanMistake{"/accesses/0/buffer", "\"k\"", "`/accesses/0/buffer` names no buffer: `k`"},
        PlanMistake{"/accesses/0/buffer", "", "`/accesses/0` lacks the member `buffer`"},
        PlanMistake{"/accesses/0/count", "", "`/accesses/0` lacks the member `count`"},
        PlanMistake{"/accesses/0/count", "-1",
                    "`/accesses/0/count` must be an integer from 0 to 9223372036854775807"},
        PlanMistake{"/accesses/0/start", "0.5",
                    "`/accesses/0/start` must be an integer from -9223372036854775808 to "
                    "9223372036854775807"},
        PlanMistake{
            "/accesses/0/step", "{\"arithmetic\": \"1 +\"}",
            "`/accesses/0/step/arithmetic` is not arithmetic: the expression ends too early"},
        PlanMistake{"/accesses/0/reason", "\"\"", "`/accesses/0/reason` must not be empty"},
        PlanMistake{
            "/accesses/0/stop", "4",
            "`/accesses/0` has the unknown member `stop`; known: buffer, start, step, count, "
            "indices, reason, at"},
        PlanMistake{"/steps/0", "{}", "`/steps/0` must be one of launch, copy and fill"},
        PlanMistake{"/steps/0/fill/byte", "256",
                    "`/steps/0/fill/byte` must be an integer from 0 to 255"},
        PlanMistake{"/steps/0/fill/buffer", "\"k\"", "`/steps/0/fill/buffer` names no buffer: `k`"},
        PlanMistake{"/steps/2/launch/unit", "3",
                    "`/steps/2/launch/unit` must be an integer from 0 to 2"},
        PlanMistake{"/steps/2/launch/entry", "\"\"", "`/steps/2/launch/entry` must not be empty"},
        PlanMistake{"/steps/2/launch/grid", "[1]", "`/steps/2/launch/grid` must have 3 numbers"},
        PlanMistake{"/steps/2/launch/arguments/0", "\"q\"",
                    "`/steps/2/launch/arguments/0` names no buffer and no scalar: `q`"},
        PlanMistake{"/expected/0/output", "\"b\"", "`/expected/0/output` is an input"},
        PlanMistake{"/expected/1/output", "\"z\"", "`/expected/1` is there a second time"},
        PlanMistake{
            "/expected/0/tolerance/kind", "\"exact\"",
            "`/expected/0/tolerance` needs `ulp` for ulp, `rtol` or `atol` for close, and no bound "
            "for exact and from_float64"},
        PlanMistake{"/expected/0/tolerance/nan", "\"maybe\"",
                    "`/expected/0/tolerance/nan` must be one of equal, forbid"},
        PlanMistake{"/expected/0/tolerance/rtol", "{\"numpy\": \"1\"}",
                    "`/expected/0/tolerance` needs `ulp` for ulp, `rtol` or `atol` for close, and "
                    "no bound for exact and from_float64"},
        PlanMistake{"/checks/0", "{\"ordered\": \"z\"}",
                    "`/checks/0` needs one of function, sorted, permutation, within, moments, "
                    "distribution, written"},
        PlanMistake{"/checks/0/sorted", "\"b\"", "`/checks/0/sorted` is an input"},
        PlanMistake{"/checks/0/sorted", "\"y\"", "`/checks/0/sorted` names no buffer: `y`"},
        PlanMistake{"/checks/0/order", "\"up\"",
                    "`/checks/0/order` must be one of ascending, descending"},
        PlanMistake{"/checks/0/of", "{\"numpy\": \"a\"}",
                    "`/checks/0` has the unknown member `of`; known: sorted, at, order"},
        PlanMistake{"/checks/1/of", "", "`/checks/1` lacks the member `of`"},
        PlanMistake{"/checks/2/low", "", "`/checks/2` needs one of low, high"},
        PlanMistake{"/checks/3/mean", "", "`/checks/3` needs one of mean, variance"},
        PlanMistake{"/checks/4/cdf", "", "`/checks/4` lacks the member `cdf`"},
        PlanMistake{"/checks/5/function", "\"v.py\"", "`/checks/5/function` must be FILE.py:NAME"},
        PlanMistake{"/flops", "-1.5", "`/flops` must not be negative"},
        PlanMistake{"/expect", "\"fail\"", "`/expect` must be \"pass\" or an object"},
        PlanMistake{"/skip/0/when", "1", "`/skip/0/when` must be an object"},
        PlanMistake{"/restore", "\"always\"", "`/restore` must be one of never, batch, each"}));

TEST(BadPlanJson, NoObjectAtAll) {
  EXPECT_THROW(plan_from_json(Json::parse("[]")), Error);
  EXPECT_THROW(plan_from_json(Json::parse("null")), Error);
}

}  // namespace
}  // namespace warpmark
