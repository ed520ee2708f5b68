#include "python/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using testing::array_elements;
using testing::at;
using testing::error_of;
using ::testing::HasSubstr;
using testing::python;
using testing::value_of;

PythonScope small_scope() {
  PythonScope scope;
  scope.set_value("n", int64_t{3});
  scope.set_value("label", std::string("ab"));
  Array a(testing::dtype("float32"), {3});
  const std::vector<float> values = {1, 2, 3};
  std::memcpy(a.bytes().data(), values.data(), a.nbytes());
  scope.set_array("a", a);
  return scope;
}

TEST(PythonExpression, SeesScopeNumPyAndBuiltins) {
  const PythonScope scope = small_scope();
  const Value value =
      value_of("2 * a + n + len(label) + np.float32(sum([1 for i in range(n)]))", scope);
  EXPECT_EQ(testing::elements<float>(to_array(value, testing::dtype("float32")).bytes()),
            (std::vector<float>{10, 12, 14}));
}

TEST(PythonExpression, ComprehensionsSeeTheScope) {
  const Value value = value_of("[a[i] * n for i in range(n)]", small_scope());
  EXPECT_EQ(testing::elements<float>(to_array(value, testing::dtype("float32")).bytes()),
            (std::vector<float>{3, 6, 9}));
}

TEST(PythonExpression, MayHaveManyLinesAndComments) {
  EXPECT_EQ(array_elements<int32_t>("np.arange(3)  # from 0\n  + 1  # and one", "int32"),
            (std::vector<int32_t>{1, 2, 3}));
}

TEST(PythonExpression, AMisspelledNameIsPointedAtAndCorrected) {
  PythonScope scope;
  scope.set_value("alpha", int64_t{3});
  const Error error = error_of([&] { value_of("2 * alpa", scope); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_EQ(error.message(), "cannot evaluate `2 * alpa`: NameError: name 'alpa' is not defined");
  EXPECT_EQ(error.hint(), "did you mean `alpha`?");
  EXPECT_EQ(error.where().file, "x.yaml");
  EXPECT_EQ(error.where().line, 3);
  EXPECT_EQ(error_of([&] { value_of("zebra", scope); }).hint(), "names here: alpha, np");
}

// CPython reports the column of what raises from 3.11 on.
int column_if_known(int column) {
  return linked_python().version >= "3.11" ? column : 10;
}

TEST(PythonExpression, ErrorsPointIntoTheText) {
  const auto where = [](PythonExpression expression) {
    return error_of([&] { evaluate(python(), expression, small_scope()); }).where();
  };
  EXPECT_EQ(where(at("1 + b")), (Position{"x.yaml", 3, column_if_known(14)}));
  EXPECT_EQ(where(at("  1 + b")), (Position{"x.yaml", 3, column_if_known(16)}));
  EXPECT_EQ(where(at("[1 + b for i in range(2)]")), (Position{"x.yaml", 3, column_if_known(15)}));
  PythonExpression quoted = at("1 + b");
  quoted.quoted = true;
  EXPECT_EQ(where(quoted), (Position{"x.yaml", 3, column_if_known(14) + 1}));
  EXPECT_EQ(where(at("1 +\n\n2 + b\n")), (Position{"x.yaml", 6, 0}))
      << "a block begins below its |";
  EXPECT_EQ(where(at("a)")), (Position{"x.yaml", 3, 11}));
  EXPECT_EQ(where(at("(1,\n 2]\n")), (Position{"x.yaml", 5, 0}));
}

TEST(PythonExpression, TheCallerChoosesTheExitCode) {
  const Error error = error_of([] { value_of("a[7]", small_scope(), ExitCode::verdict); });
  EXPECT_EQ(error.code(), ExitCode::verdict);
  EXPECT_THAT(error.message(), HasSubstr("IndexError"));
  EXPECT_THAT(error_of([] { value_of("exit(0)"); }).message(), HasSubstr("SystemExit"));
  EXPECT_THAT(error_of([] { value_of(" \n"); }).message(), HasSubstr("empty"));
}

TEST(PythonExpression, InputsCannotBeWritten) {
  const PythonScope scope = small_scope();
  for (const char* text : {"a.sort()", "np.multiply(a, 2, out=a)", "a.__setitem__(0, 5)",
                           "a.setflags(write=True)", "a.view('int32').fill(0)"}) {
    const Error error = error_of([&] { value_of(text, scope, ExitCode::verdict); });
    EXPECT_EQ(error.code(), ExitCode::verdict) << text;
  }
  EXPECT_THAT(error_of([&] { value_of("a.sort()", scope); }).hint(), HasSubstr("copy"));
  EXPECT_EQ(testing::elements<float>(std::get<Array>(scope.entries().back().second).bytes()),
            (std::vector<float>{1, 2, 3}));
}

TEST(PythonExpression, ViewsShareTheArraysPagesAndKeepThem) {
  std::optional<Value> view;
  {
    Array a(testing::dtype("int32"), {2, 2});
    PythonScope scope;
    scope.set_array("a", a);
    view = value_of("a", scope);
    const int32_t nine = 9;  // after the view was made
    std::memcpy(a.bytes().data() + 12, &nine, 4);
  }
  EXPECT_EQ(testing::elements<int32_t>(to_array(*view, testing::dtype("int32")).bytes()),
            (std::vector<int32_t>{0, 0, 0, 9}));
}

TEST(PythonExpression, EmptyAndZeroDimensionalArraysAreArrays) {
  PythonScope scope;
  scope.set_array("none", Array(testing::dtype("float16"), {0, 4}));
  scope.set_array("one", Array(testing::dtype("float64"), {}));
  const auto text = [&](const std::string& expression) {
    return to_array(value_of(expression, scope), testing::dtype("int64")).bytes()[0];
  };
  EXPECT_EQ(text("int(none.shape == (0, 4) and none.dtype == 'float16')"), std::byte{1});
  EXPECT_EQ(text("int(one.shape == () and one[()] == 0)"), std::byte{1});
}

TEST(PythonExpression, BothNumPysPromoteAlike) {
  PythonScope scope;
  scope.set_value("n", int64_t{3});
  const float f = 2.5F;
  scope.set_scalar("f", testing::dtype("float32"), std::as_bytes(std::span(&f, 1)));
  const uint8_t u = 200;
  scope.set_scalar("u", testing::dtype("uint8"), std::as_bytes(std::span(&u, 1)));
  const auto type_of = [&](const std::string& text) {
    return to_array(value_of("int((" + text + ").dtype.num)", scope), testing::dtype("int64"))
        .bytes()[0];
  };
  const auto number = [&](const std::string& dtype_name) {
    return to_array(value_of("int(np.dtype('" + dtype_name + "').num)"), testing::dtype("int64"))
        .bytes()[0];
  };
  EXPECT_EQ(type_of("f + n"), number("float32"));
  EXPECT_EQ(type_of("f * 3.0"), number("float32"));
  EXPECT_EQ(type_of("f + 1e300"), number("float32"));
  EXPECT_EQ(type_of("u + n"), number("uint8"));
  EXPECT_EQ(type_of("np.zeros(2, 'float16') * f"), number("float32"));
  EXPECT_EQ(error_of([&] { value_of("np.uint8(-1)", scope); }).code(), ExitCode::usage);
}

TEST(PythonExpression, ScopeRefusesNumPysName) {
  PythonScope scope;
  EXPECT_EQ(error_of([&] { scope.set_value("np", int64_t{1}); }).code(), ExitCode::usage);
  EXPECT_EQ(error_of([&] { scope.set_value("rng", int64_t{1}); }).code(), ExitCode::usage);
  scope.set_value("in", int64_t{1});
  EXPECT_THAT(error_of([&] { value_of("2 * in", scope); }).hint(), HasSubstr("`in` is a word"));
}

TEST(PythonExpression, SyntaxIsCheckedWithoutEvaluating) {
  check_syntax(python(), at("undefined + 1 / 0"));
  for (const char* text : {"x = 1", "ceil_div(n,", "import os", "a b", "", "lambda"}) {
    EXPECT_EQ(error_of([&] { check_syntax(python(), at(text)); }).code(), ExitCode::usage) << text;
  }
  const Error error = error_of([] { check_syntax(python(), at("1 + $")); });
  EXPECT_THAT(error.what(), HasSubstr("x.yaml:3:14: error: `1 + $` is not a Python expression"));
}

TEST(ComputedList, GivesPythonsOwnValues) {
  const auto list = [](const std::string& text) {
    return evaluate_list_with_builtins_only(python(), at(text));
  };
  EXPECT_EQ(list("[2**k for k in range(20, 23)]"),
            (std::vector<PythonValue>{int64_t{1} << 20, int64_t{1} << 21, int64_t{1} << 22}));
  EXPECT_EQ(list("(True, 1.5, 'x')"), (std::vector<PythonValue>{true, 1.5, std::string("x")}));
  EXPECT_EQ(list("range(2)"), (std::vector<PythonValue>{int64_t{0}, int64_t{1}}));
  EXPECT_TRUE(list("[]").empty());
}

TEST(ComputedList, RefusesWhatIsNoListOfValues) {
  const std::string start = "x.yaml:3:10: error: ";
  EXPECT_THAT(std::string(error_of([&] {
                            evaluate_list_with_builtins_only(python(), at("np.arange(3)"));
                          }).what()),
              HasSubstr("builtins only"));
  const Error number = error_of([] { evaluate_list_with_builtins_only(python(), at("7")); });
  EXPECT_EQ(number.what(), start + "`7` is a int, not a list");
  EXPECT_THAT(error_of([] { evaluate_list_with_builtins_only(python(), at("[1, 2**64]")); }).what(),
              HasSubstr("element 1 of `[1, 2**64]` does not fit 64 bits"));
  EXPECT_THAT(
      error_of([] { evaluate_list_with_builtins_only(python(), at("[float('nan')]")); }).what(),
      HasSubstr("not finite"));
  EXPECT_THAT(error_of([] { evaluate_list_with_builtins_only(python(), at("[None]")); }).what(),
              HasSubstr("NoneType"));
  for (const char* text : {"[__import__('os').getpid()]", "[open('/dev/null')]", "[input()]"}) {
    EXPECT_EQ(error_of([&] { evaluate_list_with_builtins_only(python(), at(text)); }).code(),
              ExitCode::usage);
  }
}

}  // namespace
}  // namespace warpmark
