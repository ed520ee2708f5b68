// Buffers that are too short for what the steps access.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "plan/plan.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

PositionMap access_positions() {
  PositionMap map;
  map.set("", {"x.yaml", 1, 1});
  map.set("/y", {"x.yaml", 9, 3});
  map.set("/range", {"x.yaml", 5, 10});
  return map;
}

// `x` of 100 elements is an input, and `y` an output of the given shape.
Plan plan_with(Access access, std::vector<Size> shape = {int64_t{100}}) {
  Plan plan;
  plan.point = {{"n", int64_t{100}}};
  plan.buffers = {{"x", ArgumentKind::in, std::nullopt, {}, NumpyText{"x", ""}, "/x"},
                  {"y", ArgumentKind::out, std::nullopt, std::move(shape), std::nullopt, "/y"}};
  access.buffer = "y";
  access.reason = "all is";
  access.at = "/y";
  plan.accesses = {std::move(access)};
  return plan;
}

Access access_of(Size start, Size step, Size count) {
  return {"", std::move(start), std::move(step), std::move(count), "", "", ""};
}

// Where and what, for `y` of 100 elements unless the plan says otherwise.
template <class F>
std::string error_of_call(const F& check) {
  try {
    check();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.where().text() + " " + error.message();
  }
  return "no error";
}

std::string checked(const Plan& plan, int64_t elements = 100) {
  Scope scope;
  scope.set("n", int64_t{100});
  scope.set_array("y", {elements}, 4);
  return error_of_call([&] { check_accesses(plan, scope, access_positions()); });
}

std::string resolving(const Plan& plan, const std::vector<int64_t>& x) {
  Facts facts;
  facts.arrays = {{"x", {x, *find_dtype("float32")}}, {"y", {{}, *find_dtype("float32")}}};
  return error_of_call([&] { (void)resolve(plan, facts, access_positions()); });
}

struct AccessRow {
  int64_t start, step, count;
  const char* accessed;  // "" for elements that all are there
};
void PrintTo(const AccessRow& row, std::ostream* out) {
  *out << row.start << " + " << row.step << " * " << row.count;
}
class Accesses : public testing::TestWithParam<AccessRow> {};

TEST_P(Accesses, AreComparedWithTheSize) {
  const auto [start, step, count, accessed] = GetParam();
  EXPECT_EQ(checked(plan_with(access_of(start, step, count))),
            *accessed == '\0' ? std::string("no error")
                              : fmt::format("x.yaml:9:3 `y` has 100 elements, but {} accessed: "
                                            "all is",
                                            accessed));
}

INSTANTIATE_TEST_SUITE_P(
    Edges, Accesses,
    testing::Values(AccessRow{0, 1, 100, ""}, AccessRow{0, 1, 101, "101, from 0 to 100, are"},  //
                    AccessRow{1, 1, 99, ""}, AccessRow{1, 1, 100, "100, from 1 to 100, are"},
                    AccessRow{-1, 1, 2, "2, from -1 to 0, are"}, AccessRow{99, 1, 1, ""},
                    AccessRow{100, 1, 1, "element 100 is"}, AccessRow{-1, 1, 1, "element -1 is"},
                    AccessRow{0, 3, 34, ""}, AccessRow{1, 3, 34, "34, from 1 to 100, are"},
                    AccessRow{99, -1, 100, ""}, AccessRow{100, -1, 101, "101, from 100 to 0, are"},
                    AccessRow{99, -1, 101, "101, from 99 to -1, are"}, AccessRow{99, -3, 34, ""},
                    AccessRow{5, 0, 7, ""}, AccessRow{100, 0, 7, "7, from 100 to 100, are"}));

INSTANTIATE_TEST_SUITE_P(Empty, Accesses,
                         testing::Values(AccessRow{0, 1, 0, ""}, AccessRow{1000, 1, 0, ""},
                                         AccessRow{kLeast, -1, 0, ""}));

INSTANTIATE_TEST_SUITE_P(
    Overflow, Accesses,
    testing::Values(
        AccessRow{0, 1, kMost, "9223372036854775807, from 0 to 9223372036854775806, are"},
        AccessRow{2, 1, kMost, "9223372036854775807, from 2 to 9223372036854775807, are"},
        AccessRow{0, kMost, 3, "3, from 0 to 9223372036854775807, are"},
        AccessRow{99, kLeast, 3, "3, from 99 to -9223372036854775808, are"},
        AccessRow{kLeast, 1, 1, "element -9223372036854775808 is"},
        AccessRow{-1, kLeast, 2, "2, from -1 to -9223372036854775808, are"}));

TEST(CheckAccesses, SizesOfOneElementAndOfNone) {
  EXPECT_EQ(checked(plan_with(access_of(int64_t{0}, int64_t{1}, int64_t{2})), 1),
            "x.yaml:9:3 `y` has 1 element, but 2, from 0 to 1, are accessed: all is");
  EXPECT_EQ(checked(plan_with(access_of(int64_t{0}, int64_t{1}, int64_t{1})), 0),
            "x.yaml:9:3 `y` has 0 elements, but element 0 is accessed: all is");
  EXPECT_EQ(checked(plan_with(access_of(int64_t{0}, int64_t{1}, int64_t{0})), 0), "no error");
}

TEST(CheckAccesses, LeavesOutWhatIsNotDecided) {
  Scope scope;
  const Access beyond = access_of(int64_t{0}, int64_t{1}, int64_t{101});
  const auto check = [&](const Plan& plan) {
    return error_of_call([&] { check_accesses(plan, scope, access_positions()); });
  };
  EXPECT_EQ(check(plan_with(beyond)), "no error");  // the size of `y`
  scope.set_array("y", {100}, 4);
  EXPECT_THAT(check(plan_with(beyond)), HasSubstr("101, from 0 to 100, are accessed"));
  const Symbolic later{"x.size + 1", "/range"};
  EXPECT_EQ(check(plan_with(access_of(later, int64_t{1}, int64_t{1}))), "no error");
  EXPECT_EQ(check(plan_with(access_of(int64_t{0}, later, int64_t{2}))), "no error");
  EXPECT_EQ(check(plan_with(access_of(int64_t{0}, int64_t{1}, later))), "no error");
  scope.set_array("x", {100}, 4);
  EXPECT_THAT(check(plan_with(access_of(later, int64_t{1}, int64_t{1}))),
              HasSubstr("element 101 is accessed"));
  EXPECT_THAT(check(plan_with(access_of(int64_t{0}, later, int64_t{2}))),
              HasSubstr("2, from 0 to 101, are accessed"));
  EXPECT_THAT(check(plan_with(access_of(int64_t{0}, int64_t{1}, later))),
              HasSubstr("101, from 0 to 100, are accessed"));
}

TEST(CheckAccesses, OnlyCasesThatMustEndWell) {
  const Plan good = plan_with(access_of(int64_t{0}, int64_t{1}, int64_t{101}));
  EXPECT_NE(checked(good), "no error");
  Plan plan = good;
  plan.fault = Fault{"illegal_address", "y"};
  EXPECT_EQ(checked(plan), "no error");
  plan = good;
  plan.report = Reports{{"out_of_bounds"}, ""};
  EXPECT_EQ(checked(plan), "no error");
  plan = good;
  plan.compile_error = CompileError{""};
  EXPECT_EQ(checked(plan), "no error");
  plan = good;
  plan.skip = {{false, "no"}};
  EXPECT_NE(checked(plan), "no error");
  plan.skip.push_back({true, "yes"});
  EXPECT_EQ(checked(plan), "no error");
  plan.skip = {{Symbolic{"device.multiprocessors < 2", "/range"}, "perhaps"}};
  EXPECT_EQ(checked(plan), "no error");
}

TEST(CheckAccesses, EachIsLookedAt) {
  Plan plan = plan_with(access_of(int64_t{0}, int64_t{1}, int64_t{100}));
  plan.accesses.push_back(plan.accesses[0]);
  plan.accesses[1].start = int64_t{1};
  plan.accesses[1].at = "/range";
  EXPECT_EQ(checked(plan),
            "x.yaml:5:10 `y` has 100 elements, but 100, from 1 to 100, are "
            "accessed: all is");
}

TEST(Resolve, ChecksAccessesOnceArraysAreThere) {
  const auto by_x = [](std::vector<Size> shape) {
    return plan_with(access_of(int64_t{0}, int64_t{1}, Symbolic{"x.size", "/range"}),
                     std::move(shape));
  };
  EXPECT_EQ(resolving(by_x({int64_t{100}}), {100}), "no error");
  EXPECT_EQ(resolving(by_x({int64_t{100}}), {101}),
            "x.yaml:9:3 `y` has 100 elements, but 101, from 0 to 100, are accessed: all is");
  // Arrays of several dimensions have as many elements as the product says, and one of none has
  // one.
  EXPECT_EQ(resolving(by_x({int64_t{20}, int64_t{5}}), {10, 10}), "no error");
  EXPECT_EQ(resolving(by_x({int64_t{20}, int64_t{5}}), {3, 34}),
            "x.yaml:9:3 `y` has 100 elements, but 102, from 0 to 101, are accessed: all is");
  EXPECT_EQ(resolving(by_x({int64_t{20}, int64_t{0}}), {7}),
            "x.yaml:9:3 `y` has 0 elements, but 7, from 0 to 6, are accessed: all is");
  EXPECT_EQ(resolving(by_x({int64_t{20}, int64_t{0}}), {0, 9}), "no error");
  EXPECT_EQ(resolving(by_x({Symbolic{"x.shape", "/y"}}), {}), "no error");
}

TEST(Resolve, EvaluatesAccesses) {
  Plan plan = plan_with(access_of(Symbolic{"y.size - 1", "/range"}, Symbolic{"0 - 2", "/range"},
                                  Symbolic{"x.size // 2", "/range"}));
  Facts facts;
  facts.arrays = {{"x", {{100}, *find_dtype("float32")}}, {"y", {{}, *find_dtype("float32")}}};
  const Access access = resolve(plan, facts, access_positions()).accesses.at(0);
  EXPECT_EQ(resolved(access.start), 99);
  EXPECT_EQ(resolved(access.step), -2);
  EXPECT_EQ(resolved(access.count), 50);
  plan.accesses[0].count = Symbolic{"x.size - 101", "/range"};
  EXPECT_EQ(error_of_call([&] { (void)resolve(plan, facts, access_positions()); }),
            "x.yaml:5:10 `x.size - 101` is -1: a whole number, 0 or more, is needed");
  plan.accesses[0].count = int64_t{1};
  plan.accesses[0].start = Symbolic{"x.size * 0.5", "/range"};
  EXPECT_EQ(error_of_call([&] { (void)resolve(plan, facts, access_positions()); }),
            "x.yaml:5:10 `x.size * 0.5` is 50.0: a whole number is needed");
}

}  // namespace
}  // namespace warpmark
