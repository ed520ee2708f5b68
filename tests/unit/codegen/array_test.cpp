// The plugin `array`: how NumPy's types, shapes and slices are understood, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "array/functions.hpp"
#include "array/steps.hpp"
#include "array/syntax.hpp"
#include "array/types.hpp"
#include "array/typing.hpp"
#include "array/views.hpp"

namespace warpmark::array {
namespace {

using plugin::Failure;
using plugin::Json;
using testing::ElementsAre;
using testing::HasSubstr;

// x float32 (4, 3), i int8 (3,), u uint8 (3,), d int64 (4, 1), b bool (3,), z an output like x; s a
// float64 scalar; n = 3 and dtype = "float16" are axes.
Json some_case() {
  const auto input = [](const char* name, const char* dtype, const char* value) {
    return Json{{"name", name},
                {"kind", "in"},
                {"dtype", dtype},
                {"value", {{"numpy", value}}},
                {"at", std::string("/arguments/") + name}};
  };
  return {{"point", {{{"name", "n"}, {"value", 3}}, {{"name", "dtype"}, {"value", "float16"}}}},
          {"kernel", Json::object()},
          {"arguments",
           {input("x", "float32", "rng.random((n + 1, n))"), input("i", "int8", "np.arange(n)"),
            input("u", "uint8", "[1, 2, 3]"), input("d", "int64", "np.ones((4, 1)) * 2"),
            input("b", "bool", "rng.random(size=i.shape) > 0"),
            Json{{"name", "y"},
                 {"kind", "inout"},
                 {"dtype", "float32"},
                 {"value", {{"numpy", "np.zeros(9)"}}},
                 {"at", "/arguments/y"}},
            Json{{"name", "s"}, {"kind", "scalar"}, {"dtype", "float64"}, {"at", "/arguments/s"}},
            Json{{"name", "z"},
                 {"kind", "out"},
                 {"dtype", "float32"},
                 {"shape", {{{"arithmetic", "x.shape"}, {"at", "/arguments/z/shape/0"}}}},
                 {"at", "/arguments/z"}}}}};
}

std::string typed(const std::string& expression) {
  const Names names(some_case());
  const Text text(expression, "/kernel/expression");
  try {
    const NodePtr node = names.type(text, parse_expression(text));
    return name_of(node->type) + (node->shape.empty() ? "" : " " + text_of(node->shape));
  } catch (const Failure& failure) {
    return failure.pointer().substr(failure.pointer().find('#')) + " " + failure.what() +
           (failure.hint().empty() ? "" : " | " + failure.hint());
  }
}

TEST(ArrayTypes, ArePromotedAsInNumPy2) {
  EXPECT_EQ(typed("x"), "float32 (4, 3)");
  EXPECT_EQ(typed("2 * x"), "float32 (4, 3)");
  EXPECT_EQ(typed("i + 1"), "int8 (3,)");
  EXPECT_EQ(typed("i + 1.5"), "float64 (3,)");
  EXPECT_EQ(typed("i + u"), "int16 (3,)");
  EXPECT_EQ(typed("i + n"), "int8 (3,)");
  EXPECT_EQ(typed("x + s"), "float64 (4, 3)");
  EXPECT_EQ(typed("i + x"), "float32 (4, 3)");
  EXPECT_EQ(typed("d + x"), "float64 (4, 3)");
  EXPECT_EQ(typed("i / i"), "float64 (3,)");
  EXPECT_EQ(typed("i // i"), "int8 (3,)");
  EXPECT_EQ(typed("b + b"), "bool (3,)");
  EXPECT_EQ(typed("b + 1"), "int64 (3,)");
  EXPECT_EQ(typed("b // b"), "int8 (3,)");
  EXPECT_EQ(typed("x > 0"), "bool (4, 3)");
  EXPECT_EQ(typed("np.sqrt(i)"), "float16 (3,)");
  EXPECT_EQ(typed("np.sqrt(d)"), "float64 (4, 1)");
  EXPECT_EQ(typed("np.sqrt(2) * x"), "float64 (4, 3)");
  EXPECT_EQ(typed("np.float32(2) * i"), "float32 (3,)");
  EXPECT_EQ(typed("np.where(b, x, 2.5)"), "float32 (4, 3)");
  EXPECT_EQ(typed("np.arctan2(i, 2.0)"), "float64 (3,)");
  EXPECT_EQ(typed("np.arctan2(i, 2)"), "float16 (3,)");
  EXPECT_EQ(typed("x.astype(dtype)"), "float16 (4, 3)");
  EXPECT_EQ(typed("x.astype(np.int16)"), "int16 (4, 3)");
  EXPECT_EQ(typed("7 // 2 - 2 ** 3 * n"), "Python int");
  EXPECT_EQ(typed("1 / 2"), "Python float");
  EXPECT_EQ(typed("x ** 2"), "float32 (4, 3)");
  EXPECT_EQ(typed("-2 ** 2"), "Python int");
}

TEST(ArrayShapes, BroadcastAndSlice) {
  EXPECT_EQ(typed("x[1:-1, ::-2]"), "float32 (2, 2)");
  EXPECT_EQ(typed("x[0]"), "float32 (3,)");
  EXPECT_EQ(typed("x[-1, n - 1]"), "float32");
  EXPECT_EQ(typed("x[..., None]"), "float32 (4, 3, 1)");
  EXPECT_EQ(typed("i[:, None] * u"), "int16 (3, 3)");
  EXPECT_EQ(typed("(x + i)[::2, 0]"), "float32 (2,)");
  EXPECT_EQ(typed("x.T"), "float32 (3, 4)");
  EXPECT_EQ(typed("x.T[:, :1].T"), "float32 (1, 3)");
  EXPECT_EQ(typed("np.arange(x.shape[1]) + x"), "float64 (4, 3)");
  EXPECT_EQ(typed("i[5:]"), "int8 (0,)");
  EXPECT_EQ(typed("x[::100]"), "float32 (1, 3)");
  EXPECT_EQ(typed("x[len(i):min(n, 2):-1]"), "float32 (1, 3)");
}

struct Refused {
  const char* expression;
  const char* message;
};
void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.expression;
}
class ArrayRefuses : public testing::TestWithParam<Refused> {};

TEST_P(ArrayRefuses, AtItsColumn) {
  EXPECT_EQ(typed(GetParam().expression), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, ArrayRefuses,
    testing::Values(
        Refused{"x + x[0:2]",
                "#1:3 shapes (4, 3) and (2, 3) do not broadcast | extents must be "
                "equal, or one of them 1, from the last one on"},
        Refused{"2 * np.sqr(x)", "#1:8 `np.sqr` is not supported | did you mean `sqrt`?"},
        Refused{"np.sum(x)",
                "#1:4 `np.sum` combines elements, and `array` does not | the plugin "
                "`reduction` does"},
        Refused{"sqrt(x)", "#1:1 `sqrt` is no function here | write `np.sqrt`"},
        Refused{"xx + 1", "#1:1 `xx` is no argument, axis or earlier name | did you mean `x`?"},
        Refused{"x[4]", "#1:3 the index 4 is out of range: 4 elements are there"},
        Refused{"x[0, 0, 0]", "#1:2 an index of 3 parts for an array with 2 dimensions"},
        Refused{"x[::0]", "#1:5 the step of a slice is 0"},
        Refused{"x[i]",
                "#1:3 a whole number is needed here, of literals, axes and shapes | indices "
                "by arrays and by scalar arguments are not supported"},
        Refused{"x if b else i",
                "#1:3 `if` has no meaning for whole arrays | write "
                "`np.where(condition, a, b)`"},
        Refused{"x > 0 and b",
                "#1:7 `and` has no place here | for whole arrays NumPy has `&`, `|` "
                "and `~`, with parentheses around comparisons"},
        Refused{"0 < x < 1",
                "#1:7 a chain of comparisons has no meaning for whole arrays | write "
                "`(a < b) & (b < c)`"},
        Refused{"u + 300",
                "#1:3 300 is no uint8 | NumPy raises OverflowError; convert the array to "
                "a wider type"},
        Refused{"b - b",
                "#1:3 NumPy has no `subtract` for bool, bool | `^` says where they differ"},
        Refused{"x & 1", "#1:3 NumPy has no `bitwise_and` for float32, Python int"},
        Refused{"i ** -1",
                "#1:3 NumPy has no negative powers of integers | convert to a real type "
                "before"},
        Refused{"(x + 1", "#1:1 this bracket is never closed"},
        Refused{"x +", "#1:4 the text ends too early"},
        Refused{"2j * x", "#1:1 complex numbers are not supported"},
        Refused{"x.astype(np.complex64)",
                "#1:9 `astype` takes a dtype that is supported | as in `x.astype(np.float32)`: "
                "bool, int8 to int64, uint8 to uint64, float16 to float64"},
        Refused{"np.where(b, x)", "#1:4 `np.where` takes 3 arguments, and 2 are given"},
        Refused{"1 // 0", "#1:3 division by zero"},
        Refused{"2 ** 64", "#1:3 this number leaves int64"}));

// The launches of a text: for each the assignments in it, after "copy NAME" of what it reads as it
// was.
std::vector<std::string> launches(const std::string& expression) {
  const Json which = some_case();
  Names names(which);
  const Text own(expression, "/kernel/expression");
  std::vector<std::string> list;
  try {
    for (const Step& step : make_steps(names, own, parse_assignments(own))) {
      std::string one;
      for (const Array* array : step.copied) one += "copy " + array->name + ", ";
      list.push_back(one + std::to_string(step.statements.size()));
    }
  } catch (const Failure& failure) {
    list.push_back(failure.pointer() + " " + failure.what());
  }
  return list;
}

TEST(ArraySteps, AreOneKernelWhereThatKeepsTheMeaning) {
  EXPECT_THAT(launches("z = x + 1\ny = np.arange(9)"), ElementsAre("1", "1"));  // two shapes
  EXPECT_THAT(launches("z = x + 1; z = z * 2; y += 1"), ElementsAre("2", "1"));
  EXPECT_THAT(launches("z = x; y[1:] = y[:-1]"), ElementsAre("1", "copy y, 1"));
  EXPECT_THAT(launches("z = x; y[::2] = 1; y[1::2] = y[:-1:2]"), ElementsAre("1", "1", "1"));
  EXPECT_THAT(launches("z = x; y[:4] = y[5:]"), ElementsAre("1", "1"));  // other elements
  EXPECT_THAT(launches("z = x; y[:4] = y[5:]; y[4:8] = y[:4]"), ElementsAre("1", "1", "1"));
  EXPECT_THAT(launches("t = y[::-1]; y = t + 1; z = x"), ElementsAre("copy y, 1", "1"));
}

TEST(ArraySteps, RefuseWhatHasNoMeaning) {
  EXPECT_THAT(launches("z = x"), ElementsAre("/arguments/y `y` is an output, and `expression` does "
                                             "not assign to it"));
  EXPECT_THAT(launches("y += 1; z[1:] = x[1:]"),
              ElementsAre("/arguments/z `z` is an `out` of 12 elements, and `expression` assigns "
                          "to 9"));
  EXPECT_THAT(launches("x = 1"), ElementsAre("/arguments/x `x` is an input, and `expression` "
                                             "assigns to it"));
  EXPECT_THAT(launches("z += 1"),
              ElementsAre("/kernel/expression#1:1 `z` is an `out`, and nothing has been assigned "
                          "to it"));
  EXPECT_THAT(
      launches("y = x"),
      ElementsAre(HasSubstr("#1:5 a value of shape (4, 3) is assigned to `y` of shape (9,)")));
  EXPECT_THAT(launches("t = 2 * y; y += 1; z = x + t[0]"),
              ElementsAre("/kernel/expression#1:28 `t` is of `y`, which an assignment has changed "
                          "since"));
  EXPECT_THAT(launches("zz[0] = 1"),
              ElementsAre("/kernel/expression#1:1 `zz` is no array argument"));
  EXPECT_THAT(launches("n = 1"),
              ElementsAre("/kernel/expression#1:1 `n` is an axis or a scalar, and "
                          "keeps its value"));
  EXPECT_THAT(
      launches("y, z = x, x"),
      ElementsAre("/kernel/expression#1:8 two targets need a function that gives two arrays"));
  EXPECT_THAT(launches("x + 1"), ElementsAre("/kernel/expression#1:1 this is no assignment"));
  EXPECT_THAT(launches("z = x\ny[0] = 1 $ 2"),
              ElementsAre("/kernel/expression#2:10 this character has no meaning here"));
}

TEST(ArrayViews, AreDisjointIfBoundsOrStridesShowIt) {
  const View even{0, {2}}, odd{1, {2}}, low{0, {1}}, high{5, {1}}, reversed{8, {-1}};
  EXPECT_TRUE(disjoint(even, {4}, odd, {4}));
  EXPECT_TRUE(disjoint(low, {5}, high, {4}));
  EXPECT_FALSE(disjoint(low, {6}, high, {4}));
  EXPECT_FALSE(disjoint(even, {5}, reversed, {9}));
  EXPECT_TRUE(disjoint(reversed, {4}, low, {5}));
  EXPECT_TRUE(disjoint(low, {0}, low, {5}));
}

}  // namespace
}  // namespace warpmark::array
