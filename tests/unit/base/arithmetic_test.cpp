#include "base/arithmetic.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace warpmark {
namespace {

const Position kAt{"x.yaml", 7, 10};

Scope example_scope() {
  Scope scope;
  scope.set("n", int64_t{1000003});
  scope.set("dtype", std::string("float32"));
  scope.set("half", 0.5);
  scope.set("flag", true);
  scope.set_array("x", {3, 5}, 4);
  scope.set_array("empty", {0}, 4);
  scope.set("device.multiprocessors", int64_t{132});
  return scope;
}

std::string value_of(const std::string& text) {
  return to_text(Expression::parse(text, kAt).evaluate(example_scope()));
}

// "LINE:COLUMN message" of the error, or the value.
std::string error_of(const std::string& text) {
  try {
    return "no error: " + value_of(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " +
           error.message();
  }
}

struct ArithmeticRow {
  const char* text;
  const char* expected;
};
void PrintTo(const ArithmeticRow& row, std::ostream* out) {
  *out << row.text;
}

class Evaluates : public testing::TestWithParam<ArithmeticRow> {};
class Refuses : public testing::TestWithParam<ArithmeticRow> {};

TEST_P(Evaluates, AsPythonDoes) {
  EXPECT_EQ(value_of(GetParam().text), GetParam().expected);
}
TEST_P(Refuses, WithItsPlace) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().expected);
}

// The expected texts are what CPython 3.11 prints for the same expression.
INSTANTIATE_TEST_SUITE_P(
    Python, Evaluates,
    testing::Values(
        ArithmeticRow{"1 + 2 * 3", "7"}, ArithmeticRow{"(1 + 2) * 3", "9"},
        ArithmeticRow{"10 - 3 - 4", "3"}, ArithmeticRow{"2**3**2", "512"},
        ArithmeticRow{"-2**2", "-4"}, ArithmeticRow{"(-2)**2", "4"}, ArithmeticRow{"2**-1", "0.5"},
        ArithmeticRow{"--3", "3"}, ArithmeticRow{"+-3", "-3"}, ArithmeticRow{"2**-2 * 8", "2.0"},
        ArithmeticRow{"2 ** 62", "4611686018427387904"},
        ArithmeticRow{"(-2)**63", "-9223372036854775808"}, ArithmeticRow{"1**1000000000000", "1"},
        ArithmeticRow{"0**0", "1"}, ArithmeticRow{"(-1)**9223372036854775807", "-1"},
        // Floor division and modulo take the divisor's sign.
        ArithmeticRow{"7 // 2", "3"}, ArithmeticRow{"-7 // 2", "-4"},
        ArithmeticRow{"7 // -2", "-4"}, ArithmeticRow{"-7 // -2", "3"}, ArithmeticRow{"7 % 3", "1"},
        ArithmeticRow{"-7 % 3", "2"}, ArithmeticRow{"7 % -3", "-2"}, ArithmeticRow{"-7 % -3", "-1"},
        ArithmeticRow{"(-9223372036854775807 - 1) % -1", "0"}, ArithmeticRow{"6 % 3", "0"},
        ArithmeticRow{"6 % -3", "0"}, ArithmeticRow{"7.5 // 2", "3.0"},
        ArithmeticRow{"-7.5 // 2", "-4.0"}, ArithmeticRow{"7.5 % -2", "-0.5"},
        ArithmeticRow{"-0.5 % 3", "2.5"}, ArithmeticRow{"1 // 0.1", "9.0"},
        ArithmeticRow{"1 % 0.1", "0.09999999999999995"}, ArithmeticRow{"-1 // 1e300", "-1.0"},
        ArithmeticRow{"0.0 % -3", "-0.0"}, ArithmeticRow{"-1.0 // -4", "0.0"},
        // Floats, printed as repr does.
        ArithmeticRow{"1.0", "1.0"}, ArithmeticRow{"1e16", "1e+16"},
        ArithmeticRow{"123456789012345.0", "123456789012345.0"}, ArithmeticRow{"1e-4", "0.0001"},
        ArithmeticRow{"1e-5", "1e-05"}, ArithmeticRow{".5", "0.5"}, ArithmeticRow{"5.", "5.0"},
        ArithmeticRow{"0.1 + 0.2", "0.30000000000000004"}, ArithmeticRow{"2 * half", "1.0"},
        ArithmeticRow{"-0.0", "-0.0"}, ArithmeticRow{"4 ** 0.5", "2.0"},
        ArithmeticRow{"(-8) ** 3.0", "-512.0"}, ArithmeticRow{"1_000_000", "1000000"},
        ArithmeticRow{"0x10", "16"}, ArithmeticRow{"0", "0"},
        ArithmeticRow{"9223372036854775807", "9223372036854775807"},
        // Comparison is exact between ints and floats, and chains.
        ArithmeticRow{"1 < 2", "True"}, ArithmeticRow{"2 <= 1", "False"},
        ArithmeticRow{"1 < 2 < 3", "True"}, ArithmeticRow{"1 < 3 < 2", "False"},
        ArithmeticRow{"3 > 2 > 1 >= 1", "True"}, ArithmeticRow{"1 == 1.0", "True"},
        ArithmeticRow{"9007199254740993 == 9007199254740992.0", "False"},
        ArithmeticRow{"9007199254740993 > 9007199254740992.0", "True"},
        ArithmeticRow{"9223372036854775807 < 9223372036854775808.0", "True"},
        ArithmeticRow{"-1e300 < 0", "True"}, ArithmeticRow{"-1 > -1.5", "True"},
        ArithmeticRow{"-1.5 < -1", "True"}, ArithmeticRow{"2.5 <= 2", "False"},
        ArithmeticRow{"2.0 >= 2", "True"}, ArithmeticRow{"2 != 2", "False"},
        // bool is an int.
        ArithmeticRow{"flag + 1", "2"}, ArithmeticRow{"True * 3", "3"},
        ArithmeticRow{"-True", "-1"}, ArithmeticRow{"(1 < 2) == 1", "True"},
        ArithmeticRow{"False", "False"}));

INSTANTIATE_TEST_SUITE_P(
    Names, Evaluates,
    testing::Values(
        ArithmeticRow{"n", "1000003"}, ArithmeticRow{"ceil_div(n, 128)", "7813"},
        ArithmeticRow{"x.size", "15"}, ArithmeticRow{"x.shape", "(3, 5)"},
        ArithmeticRow{"x.shape[0]", "3"}, ArithmeticRow{"x.shape[-1]", "5"},
        ArithmeticRow{"x.nbytes", "60"}, ArithmeticRow{"empty.nbytes", "0"},
        ArithmeticRow{"empty.shape", "(0,)"}, ArithmeticRow{"device.multiprocessors * 2", "264"},
        ArithmeticRow{"dtype == \"float32\"", "True"}, ArithmeticRow{"dtype == 'float64'", "False"},
        ArithmeticRow{"dtype != float64", "True"}, ArithmeticRow{"ctype(dtype)", "float"},
        ArithmeticRow{"ctype(uint32)", "unsigned int"}, ArithmeticRow{"itemsize(dtype)", "4"},
        ArithmeticRow{"itemsize(\"float64\") * n", "8000024"}, ArithmeticRow{"min(3, 2, 5)", "2"},
        ArithmeticRow{"max(1, 1.0)", "1"}, ArithmeticRow{"max(1.0, 1)", "1.0"},
        ArithmeticRow{"max(x.shape)", "5"}, ArithmeticRow{"min(1, 0.5)", "0.5"},
        ArithmeticRow{"max(n, True)", "1000003"}, ArithmeticRow{"ceil_div(0, 128)", "0"},
        ArithmeticRow{"ceil_div(-7, 2)", "-3"}, ArithmeticRow{"ceil_div(7, -2)", "-3"},
        ArithmeticRow{"log2(1)", "0"}, ArithmeticRow{"log2(2**62)", "62"},
        ArithmeticRow{"x.shape == x.shape", "True"}, ArithmeticRow{"  n  ", "1000003"}));

INSTANTIATE_TEST_SUITE_P(
    Syntax, Refuses,
    testing::Values(
        ArithmeticRow{"", "7:10 an expression is missing"},
        ArithmeticRow{"1 +", "7:13 the expression ends too early"},
        ArithmeticRow{"n / 2", "7:12 `/` is not part of arithmetic"},
        ArithmeticRow{"(n", "7:10 `(` is never closed"},
        ArithmeticRow{"n)", "7:11 `)` closes no parenthesis"},
        ArithmeticRow{"n m", "7:12 `m` does not belong here"},
        ArithmeticRow{"1, 2", "7:11 `,` is outside a call"},
        ArithmeticRow{"n = 2", "7:12 `=` is not part of arithmetic"},
        ArithmeticRow{"(1, 2)", "7:12 tuples are not part of arithmetic"},
        ArithmeticRow{"2 * 010", "7:14 `010` looks like an octal number"},
        ArithmeticRow{"0o17", "7:10 `0o17` looks like an octal number"},
        ArithmeticRow{"1e999", "7:10 `1e999` leaves the range of a float"},
        ArithmeticRow{"3n", "7:10 `3n` is not a number"},
        ArithmeticRow{"1.2.3", "7:10 `1.2.3` is not a number"},
        ArithmeticRow{"9223372036854775808", "7:10 `9223372036854775808` does not fit in an int64"},
        ArithmeticRow{"x.sizes", "7:10 `x.sizes` is unknown"},
        ArithmeticRow{"device.sms", "7:10 `device.sms` is unknown"},
        ArithmeticRow{"ceildiv(1, 2)", "7:10 `ceildiv` is not a function of arithmetic"},
        ArithmeticRow{"log2(1, 2)", "7:10 `log2` takes 1 value, not 2"},
        ArithmeticRow{"min()", "7:10 `min` takes at least 1 value, not 0"},
        ArithmeticRow{"min(1, 2", "7:10 `min(` is never closed"},
        ArithmeticRow{"x.shape[0", "7:17 `[` is never closed"},
        ArithmeticRow{"true", "7:10 `true` is not part of arithmetic"},
        ArithmeticRow{"1 < 2 and 3", "7:16 `and` does not belong here"},
        ArithmeticRow{"not 1", "7:10 `not` is not part of arithmetic"},
        ArithmeticRow{"'a", "7:10 the text is never closed"},
        ArithmeticRow{"'a\\n'", "7:10 a text in arithmetic has no escapes"},
        ArithmeticRow{"n \xC3\xA9", "7:12 `\xC3\xA9` does not belong here"},
        ArithmeticRow{"* 2", "7:10 a number or a name is missing before `*`"}));

INSTANTIATE_TEST_SUITE_P(
    Values, Refuses,
    testing::Values(
        ArithmeticRow{"1 // 0", "7:12 division by zero"},
        ArithmeticRow{"1 % 0", "7:12 modulo by zero"},
        ArithmeticRow{"1.0 // 0", "7:14 division by zero"},
        ArithmeticRow{"1 % 0.0", "7:12 modulo by zero"},
        ArithmeticRow{"ceil_div(n, n - n)", "7:10 division by zero"},
        ArithmeticRow{"9223372036854775807 + 1",
                      "7:30 9223372036854775807 + 1 does not fit in an int64"},
        ArithmeticRow{"-9223372036854775807 - 2",
                      "7:31 -9223372036854775807 - 2 does not fit in an int64"},
        ArithmeticRow{"2**32 * 2**32", "7:16 4294967296 * 4294967296 does not fit in an int64"},
        ArithmeticRow{"2**63", "7:11 2 ** 63 does not fit in an int64"},
        ArithmeticRow{"3**41", "7:11 3 ** 41 does not fit in an int64"},
        ArithmeticRow{"(-9223372036854775807 - 1) // -1",
                      "7:37 -9223372036854775808 // -1 does not fit in an int64"},
        ArithmeticRow{"-(-2)**63", "7:10 -(-9223372036854775808) does not fit in an int64"},
        ArithmeticRow{"0**-1", "7:11 0 has no negative power"},
        ArithmeticRow{"0.0**-1", "7:13 0 has no negative power"},
        ArithmeticRow{"(-8)**0.5", "7:14 a negative number has no fractional power"},
        ArithmeticRow{"1e300 * 1e300", "7:16 `*` leaves the range of a float"},
        ArithmeticRow{"10.0**400", "7:14 `**` leaves the range of a float"},
        ArithmeticRow{"log2(1000)", "7:10 log2(1000): 1000 is not a power of two"},
        ArithmeticRow{"log2(0)", "7:10 log2(0): 0 is not a power of two"},
        ArithmeticRow{"log2(2.0)", "7:10 `log2` takes ints, and 2.0 is a float"},
        ArithmeticRow{"dtype + 1", "7:16 `+` takes numbers, and `float32` is text"},
        ArithmeticRow{"dtype == 1",
                      "7:16 `float32` is text and `1` is an int: they do not compare"},
        ArithmeticRow{"dtype < 'z'", "7:16 text has no order: only == and != compare it"},
        ArithmeticRow{"x.shape * 2", "7:18 `*` takes numbers, and `(3, 5)` is a tuple"},
        ArithmeticRow{"x.shape[2]", "7:17 index 2 is outside (3, 5)"},
        ArithmeticRow{"x.shape[-3]", "7:17 index -3 is outside (3, 5)"},
        ArithmeticRow{"n[0]", "7:11 `1000003` is no tuple to index"},
        ArithmeticRow{"x.shape[half]", "7:17 an index is an int, and `0.5` is a float"},
        ArithmeticRow{"min(1)", "7:10 `min` of one value needs a tuple"},
        ArithmeticRow{"ctype('int')", "7:10 `ctype` takes a dtype, and `int` is none"},
        ArithmeticRow{"itemsize(n)", "7:10 `itemsize` takes a dtype, and `1000003` is none"},
        ArithmeticRow{"unknown + 1", "7:10 `unknown` has no value here"}));

TEST(Arithmetic, ATypeOfCppNeedsNoCtype) {
  try {
    (void)Expression::parse("ctype('float2')", kAt).evaluate(Scope{});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "a type of C++ needs no `ctype`: it is text already");
  }
}

TEST(Arithmetic, FoldsToAValueOrNamesWhatItLacks) {
  Scope scope;
  scope.set("n", int64_t{256});
  const Folded done = Expression::parse("ceil_div(n, 128)", kAt).fold(scope);
  EXPECT_EQ(done.value, ArithmeticValue(int64_t{2}));
  EXPECT_TRUE(done.unresolved.empty());

  const Folded open =
      Expression::parse("n * min(a.size, device.multiprocessors) + a.size", kAt).fold(scope);
  EXPECT_FALSE(open.value);
  EXPECT_THAT(open.unresolved, testing::ElementsAre("a.size", "device.multiprocessors"));
}

TEST(Arithmetic, FoldingStillRefusesWhatCannotBe) {
  EXPECT_THROW((void)Expression::parse("1 // 0", kAt).fold({}), Error);
}

TEST(Arithmetic, NamesKnowTheirColumns) {
  const Expression expression = Expression::parse("n + a.size * n", kAt);
  ASSERT_EQ(expression.names().size(), 2U);
  EXPECT_EQ(expression.names()[1].name, "a.size");
  EXPECT_EQ(expression.names()[1].where.column, 14);
}

TEST(Arithmetic, HintsAtTheFloorDivision) {
  try {
    (void)Expression::parse("n / 2", kAt);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), testing::HasSubstr("ceil_div"));
  }
}

TEST(Arithmetic, DeepAndLongTextsAreRefusedNotRecursedInto) {
  const auto repeat = [](const std::string& part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  EXPECT_THAT(error_of(repeat("(", 400) + "1" + repeat(")", 400)),
              testing::HasSubstr("deeper than"));
  EXPECT_THAT(error_of(repeat("-", 1000) + "1"), testing::HasSubstr("deeper than"));
  EXPECT_THAT(error_of("1" + repeat("**1", 300)), testing::HasSubstr("deeper than"));
  EXPECT_THAT(error_of("1" + repeat("+1", 100000)), testing::HasSubstr("longer than"));
  EXPECT_EQ(value_of("1" + repeat("+1", 500)), "501");
  EXPECT_EQ(value_of(repeat("(", 60) + "1" + repeat(")", 60)), "1");
}

TEST(Arithmetic, ArraysTooLargeToCountAreRefused) {
  Scope scope;
  EXPECT_THROW(scope.set_array("a", {int64_t{1} << 40, int64_t{1} << 40}, 4), Error);
  EXPECT_THROW(scope.set_array("a", {int64_t{1} << 62}, 8), Error);
}

}  // namespace
}  // namespace warpmark
