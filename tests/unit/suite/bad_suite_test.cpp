// Every rule of the format, broken once: the exact words and the exact place.
#include <gtest/gtest.h>

#include "suite_text.hpp"

namespace warpmark {
namespace {

using testing_suites::changed;
using testing_suites::error_of;
using testing_suites::good;

struct Row {
  const char* from;
  const char* to;
  const char* error;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.from << " -> " << row.to;
}

class BadSuite : public testing::TestWithParam<Row> {};

TEST_P(BadSuite, IsRefusedWithWordsAndPlace) {
  EXPECT_EQ(error_of(changed(GetParam().from, GetParam().to)), GetParam().error);
}

TEST(BadSuite, TheUnchangedOneIsGood) {
  EXPECT_EQ(error_of(good()), "no error");
}

constexpr const char* kQuote =
    "inside { } and [ ] a comma ends the value: quote the expression, as in \"ceil_div(n, 128)\"";
const std::string kGridError =
    std::string("12:10 `ceil_div(n` has an unbalanced parenthesis | ") + kQuote;
const std::string kElementError =
    std::string("7:7 `ceil_div(1` has an unbalanced parenthesis | ") + kQuote;

INSTANTIATE_TEST_SUITE_P(
    Yaml, BadSuite,
    testing::Values(
        Row{"about:", "about: \"x", "2:8 the quote is never closed"},
        Row{"", "about: again\n",
            "15:1 the key `about` is here a second time | the first is on line 2"},
        Row{"rng.random(n)", "&x rng.random(n)",
            "9:11 anchors are not part of the format | write the value wherever it is needed"},
        Row{"a.shape", "*x", "10:12 aliases are not part of the format | write the value again"},
        Row{"", "<<: {a: 1}\n",
            "15:1 merge keys are not part of the format | write the members out"},
        Row{"2**4", "017",
            "7:10 `017` looks like an octal number | write it without the leading zero, or quote a "
            "text"},
        Row{"2**4", "0o17",
            "7:10 `0o17` looks like an octal number | write it without the leading zero, or quote "
            "a text"},
        Row{"2**4", "\"2 * 010\"",
            "7:15 `010` looks like an octal number | write it without the leading zero"},
        Row{"", "---\na: 1\n", "15:1 a second document begins here | one file is one document"},
        Row{"An example", "!!str An example",
            "2:8 tags are not part of the format, and here is `tag:yaml.org,2002:str` | a key's "
            "kind "
            "is fixed by the schema"},
        Row{"  entry: f", "\tentry: f",
            "5:1 this is not YAML: illegal tab when looking for indentation | indent with blanks: "
            "YAML allows no tabs there"},
        Row{"  entry: f", "   entry: f",
            "5:4 this is not YAML: this line is indented by 3 blanks, and line 4 above it by 2 "
            "blanks | members of one map have one indentation, and what belongs to a key has more "
            "than the key"},
        Row{"  entry: f", " entry: f",
            "5:2 this is not YAML: this line is indented by 1 blank, and line 4 above it by 2 "
            "blanks | members of one map have one indentation, and what belongs to a key has more "
            "than the key"},
        Row{"warpmark: 1", "  warpmark: 1",
            "2:1 this is not YAML: this line is indented by no blanks, and line 1 above it by 2 "
            "blanks | members of one map have one indentation, and what belongs to a key has more "
            "than the key"},
        Row{"about: An example.", "about: \"An example.\nskip: {when: \"n\", reason: \"r\"}",
            "2:8 this is not YAML: the text after this quote ends on line 3, where another one "
            "should begin | write the closing \" where the text ends"},
        Row{"about: An example.", "about: 'It's one.'",
            "2:11 this is not YAML: a text ends at this quote, and more follows | an apostrophe "
            "inside of '…' is written twice; or put the text between \"…\""},
        Row{"about: An example.", "about: \"A \"b\" c\"",
            "2:11 this is not YAML: a text ends at this quote, and more follows | a quote inside "
            "of \"…\" is written \\\"; or put the text between '…'"},
        Row{"about: An example.", "about: An: example.",
            "2:10 this is not YAML: a `: ` is inside a text | quote the text"},
        Row{"[1, 2**4]", "[1, 2**4",
            "7:6 this is not YAML: this `[` is not closed | write a `]` where it ends"},
        Row{"[1, 2**4]", "[1, 2**4}",
            "7:14 this is not YAML: this `}` closes no `[`, which opens on line 7 | write `]`"},
        Row{"block: 128", "{block: 128 shared: 1}",
            "12:21 this is not YAML: a second `: ` is here in one member | a `,` before its key is "
            "missing; a text with `: ` is quoted"},
        Row{"  block: 128", "  block: 128\n  \"grid\"\n",
            "13:3 this is not YAML: this line begins no member | a member of a map begins with "
            "`key: `, one of a list with `- `"},
        Row{"An example", "An \x01 example",
            "2:0 the line has a control character or is not UTF-8"},
        Row{"An example", "An \xFF example",
            "2:0 the line has a control character or is not UTF-8"},
        Row{"", "? [a]\n: 1\n", "15:3 a key must be text"},
        Row{"block: 128", "{grid: ceil_div(n, block: 128}", kGridError.c_str()},
        Row{"[1, 2**4]", "[ceil_div(1, [2]]", kElementError.c_str()},
        Row{"  block: 128", "  block(1: 128",
            "12:3 `block(1` has an unbalanced parenthesis | quote the expression, as in "
            "\"ceil_div(n, 128)\""}));

INSTANTIATE_TEST_SUITE_P(
    Keys, BadSuite,
    testing::Values(
        Row{"about:", "aboot:", "2:1 unknown key of a suite `aboot` | did you mean `about`?"},
        Row{"  block: 128", "  block: 128\n  blocks: 1",
            "13:3 unknown key of `launch` `blocks` | did you mean `block`?"},
        Row{"  block: 128", "  block: 128\n  width: 1",
            "13:3 unknown key of `launch` `width` | known: grid, block, shared, cluster, "
            "cooperative"},
        Row{"", "expected: {z: 1}\n",
            "15:1 unknown key of a suite `expected` | did you mean `reference`?"},
        Row{"", "args: {z: 1}\n", "15:1 unknown key of a suite `args` | did you mean `arguments`?"},
        Row{"a.shape", "a.shape, type: float32",
            "10:21 unknown key of the argument `z` `type` | did you mean `dtype`?"},
        Row{"", "tolerance:exact\n",
            "15:1 unknown key of a suite `tolerance:exact` | a key ends with a colon and a blank"},
        Row{"", "expect: {z: 2 * a}\n",
            "15:10 unknown key of `expect` `z` | the values of outputs are in `reference`; keys of "
            "`expect`: fault, report, compile_error, argument, counters, parallel, coalesced, "
            "conflict_free, tiled, work_efficient"},
        Row{"warpmark: 1\n", "", "1:1 `warpmark: 1`, the version of the format, is missing"},
        Row{"warpmark: 1", "warpmark: 2",
            "1:11 version `2` of the format is unknown | this program reads `warpmark: 1`"},
        Row{"kernel:\n  source: void f();\n  entry: f\n", "", "1:1 `kernel` is missing"},
        Row{"about: An example.", "about: [1]", "2:8 `about` must be text, and here is a list"},
        Row{"about: An example.", "about:", "2:1 `about` must be text, and here is nothing"},
        Row{"about: An example.", "about: ''", "2:8 `about` is empty"},
        Row{"about: An example.", "plugin: ../x",
            "2:9 `../x` is no name of a plugin | such names have letters a to z, digits, _ and -"},
        Row{"source: void f();", "source: void f();\n  file: f.cu",
            "4:11 `kernel` has both `file` and `source` | keep one of them"},
        Row{"source: void f();", "file: f.cu", "4:9 there is no file `f.cu` in /nowhere/suites"},
        Row{"source: void f();", "file: /f.cu",
            "4:9 `file` must be relative to the suite's folder"},
        Row{"entry: f", "entry: scale<{ctype(float32)}, {m}>",
            "5:35 `m` is no axis | did you mean `n`?"},
        Row{"entry: f", "entry: scale<{n>",
            "5:16 `entry` has a `{` without its other one | braces hold arithmetic, as in "
            "scale<{ctype(dtype)}, 4>; {{ and }} are braces of the name"},
        Row{"entry: f", "entry: scale<n}>",
            "5:17 `entry` has a `}` without its other one | braces hold arithmetic, as in "
            "scale<{ctype(dtype)}, 4>; {{ and }} are braces of the name"},
        Row{"entry: f", "entry: scale<{ }>", "5:16 `entry` has nothing between its braces"},
        Row{"entry: f", "entry: scale<{a.size}>",
            "5:17 `a.size` is not known yet where `entry` needs it | use axes"},
        Row{"[1, 2**4]", "{zip: m, values: [1]}",
            "7:12 unknown axis in `zip` `m` | did you mean `n`?"},
        Row{"[1, 2**4]", "{zip: n, values: [1]}", "7:12 the axis `n` is zipped with itself"},
        Row{"[1, 2**4]", "[1]\n  k: {zip: n, values: [1]}\n  m: {zip: k, values: [1]}",
            "9:12 the axis `k` is zipped itself | zip both with `n`"},
        Row{"", "bench: {axes: {n: {zip: k, values: [1]}}}\n",
            "15:25 unknown axis in `zip` `k` | did you mean `n`?"},
        Row{"", "bench: {sweep: [m]}\n", "15:17 unknown axis in `sweep` `m` | did you mean `n`?"},
        Row{"", "bench: {relative_to: {m: 1}}\n",
            "15:23 unknown axis in `relative_to` `m` | did you mean `n`?"},
        Row{"", "bench: {relative_to: {n: 2}}\n",
            "15:26 unknown value of the axis `n` `2` | did you mean `1`?"},
        Row{"entry: f", "define: {1A: 2}", "5:12 `1A` is no name of a macro"},
        Row{"entry: f", "define: {A: float2}",
            "5:15 `float2` is no axis, and no dtype | as text it is written '\"float2\"'"},
        Row{"entry: f", "entry: scale<{float2}>",
            "5:17 `float2` is no axis, and no dtype | only arithmetic belongs inside the "
            "braces; write the rest outside, as in `k<float2>`"},
        Row{"entry: f", "define: {A: a.size}",
            "5:15 `a.size` is not known yet where `define` needs it | use axes"},
        Row{"entry: f", "define: {A: device.warp_size}",
            "5:15 `define` cannot depend on the device | it is needed before there is one: use "
            "axes"},
        Row{"entry: f", "options: -O3", "5:12 `options` must be a list, and here is text"},
        Row{"  block: 128", "  grid: 1", "12:3 `launch` needs `block`"},
        Row{"128", "[1, 1, 1, 1]", "12:10 `block` has 4 numbers: x, y and z are at most 3"},
        Row{"128", "[]", "12:10 `block` is an empty list"},
        Row{"", "tolerance: loose\n",
            "15:12 unknown value of `tolerance` `loose` | known: exact, from_float64"},
        Row{"", "tolerance: {ulp: 1, rtol: 1e-5}\n",
            "15:12 `tolerance` is either ulp or rtol, not both | both are relative; `atol` may be "
            "beside either"},
        Row{"", "tolerance: {nan: equals}\n",
            "15:18 unknown value of `nan` `equals` | did you mean `equal`?"},
        Row{"", "bench: {restore: always}\n",
            "15:18 unknown value of `restore` `always` | known: never, batch, each"},
        Row{"", "bench: {axes: {m: [1]}}\n",
            "15:16 unknown axis in `bench` `m` | did you mean `n`?"},
        Row{"", "bench: {bytes: a.nbyte}\n",
            "15:16 `a.nbyte` is unknown | did you mean `a.nbytes`?"},
        Row{"", "expect: fail\n",
            "15:9 unknown value of `expect` `fail` | known: pass, compile_error"},
        Row{"", "expect: {argument: a}\n",
            "15:9 `expect` needs one of fault, report, compile_error, counters and the "
            "composites"},
        Row{"", "expect: {fault: illegal_adress}\n",
            "15:17 unknown value of `fault` `illegal_adress` | did you mean `illegal_address`?"},
        Row{"", "expect: {fault: trap}\n",
            "14:3 a case that must fault has no outputs to compare | remove `reference`"},
        Row{"", "requires: [exact_bound]\n",
            "15:12 unknown value of `requires` `exact_bound` | did you mean `exact_bounds`?"},
        Row{"", "requires: []\n", "15:11 `requires` is an empty list"},
        Row{"", "skip: {when: n > 1}\n", "15:7 `skip` needs `reason`"},
        Row{"", "skip: {when: m > 1, reason: r}\n", "15:14 `m` is no axis | did you mean `n`?"},
        Row{"", "lint: {allow: [zeros]}\n", "15:7 `lint` needs `reason`"},
        Row{"", "lint: {reason: r}\n", "15:7 `lint` needs `allow`"},
        Row{"", "lint: {allow: zeros, reason: r}\n",
            "15:15 `allow` must be a list, and here is text"},
        Row{"", "lint: {allow: [zero], reason: r}\n",
            "15:16 unknown value of `allow` `zero` | did you mean `zeros`?"},
        Row{"", "lint: {allow: [nan, zeros, nan], reason: r}\n",
            "15:28 `nan` is here a second time"},
        Row{"", "lint: {allow: [{line: x}], reason: r}\n",
            "15:17 unknown key of `allow` `line` | known: mutant"},
        Row{"", "lint: {allow: [{mutant: x}], when: m == 1, reason: r}\n",
            "15:36 `when` goes with answers: a mutant lives if it passes every case"},
        Row{"", "lint: {allow: [nan], reason: ' '}\n", "15:30 `reason` is empty"},
        Row{"", "lint: {allow: [nan], when: m == 1, reason: r}\n",
            "15:28 `m` is no axis | did you mean `n`?"},
        Row{"", "lint: {allow: [nan], when: a.size == 1, reason: r}\n",
            "15:28 `a.size` is not known yet where `lint` needs it | use axes"},
        Row{"", "check: {ordered: z}\n",
            "15:9 unknown check `ordered` | known: function, sorted, permutation, within, moments, "
            "distribution, written"},
        Row{"", "check: {sortd: z}\n", "15:9 unknown check `sortd` | did you mean `sorted`?"},
        Row{"", "check: {sorted: z, within: z}\n",
            "15:20 a check is one thing, and here are `sorted` and `within` | write a list of two "
            "checks"},
        Row{"", "check: {sorted: y}\n", "15:17 unknown output in `check` `y` | did you mean `z`?"},
        Row{"", "check: {sorted: a}\n",
            "15:17 `a` is no output, and checks are about outputs | outputs: z"},
        Row{"", "check: {moments: z}\n", "15:8 `moments` needs mean or variance, or both"},
        Row{"", "budget: {memory_mib: 1}\n",
            "15:1 unknown key of a suite `budget` | known: warpmark, about, plugin, kernel, axes, "
            "cases, types, arguments, constants, globals, launch, devices, reference, check, "
            "tolerance, "
            "baseline, bench, expect, limits, requires, skip, allow, lint"}));

INSTANTIATE_TEST_SUITE_P(
    Axes, BadSuite,
    testing::Values(
        Row{"[1, 2**4]", "5", "7:6 the axis `n` must be a list, and here is text"},
        Row{"[1, 2**4]", "[]", "7:6 the axis `n` is an empty list"},
        Row{"[1, 2**4]", "[1, ~]", "7:10 an axis value must be text, and here is nothing"},
        Row{"[1, 2**4]", "[2**n]",
            "7:10 an axis value cannot use `n` | axis values are literals and arithmetic over "
            "literals; a computed list is {python: \"[...]\"}"},
        Row{"[1, 2**4]", "[true]", "7:7 `true` is not part of arithmetic | Python writes True"},
        Row{"[1, 2**4]", "[1 // 0]", "7:9 division by zero"},
        Row{"[1, 2**4]", "{pyton: '[1]'}",
            "7:7 unknown key of the axis `n` `pyton` | did you mean `python`?"},
        Row{"[1, 2**4]", "{}", "7:6 the axis `n` needs `any`, `python` or `values`"},
        Row{"[1, 2**4]", "[{label: x}]", "7:7 an axis value needs `value`"},
        Row{"[1, 2**4]", "[{value: 1, label: a-b}]",
            "7:25 the label `a-b` has characters that case ids cannot have | use letters, digits "
            "and _ / . ~"},
        Row{"n: [1", "n-1: [1",
            "7:3 `n-1` is no name | names have letters, digits and _, and start with no digit"},
        Row{"n: [1", "lambda: [1", "7:3 the name `lambda` is taken: expressions use it"},
        Row{"n: [1", "float32: [1", "7:3 the name `float32` is taken: expressions use it"}));

INSTANTIATE_TEST_SUITE_P(
    Arguments, BadSuite,
    testing::Values(
        Row{"{out: a.shape}", "{dtype: int32}",
            "10:3 the argument `z` needs one of in, inout, out, scalar, scratch, pointers, "
            "texture and tensor_map, and has none"},
        Row{"{out: a.shape}", "{out: 1, in: 2}",
            "10:3 the argument `z` needs one of in, inout, out, scalar, scratch, pointers, "
            "texture and tensor_map, and has several"},
        Row{"{out: a.shape}", "5", "10:6 the argument `z` must be a map, and here is text"},
        Row{"{out: a.shape}", "{out: z.shape}",
            "10:12 `z.shape` is not known yet where `out` needs it | a shape may use inputs and "
            "outputs further up"},
        Row{"{out: a.shape}", "{out: b.shape}",
            "10:12 unknown array argument `b` | did you mean `a`?"},
        Row{"{out: a.shape}", "{out: a}",
            "10:12 `a` is an array | arithmetic sees a.size, a.shape and a.nbytes"},
        Row{"{out: a.shape}", "{out: \"[n, n]\"}",
            "10:13 a list is not in quotes; each of its elements may be"},
        Row{"rng.random(n)}", "rng.random(n), dtype: float31}",
            "9:33 `float31` is no axis, and no dtype | did you mean `float32`?"},
        Row{"rng.random(n)}", "rng.random(n), dtype: float4}",
            "9:33 `float4` is no axis, and no dtype | it is 4 numbers: write `dtype: float32`, and "
            "give the value a last axis of 4"},
        Row{"rng.random(n)}", "rng.random(n), dtype: double}",
            "9:33 `double` is no axis, and no dtype | did you mean `float64`?"},
        Row{"rng.random(n)}", "rng.random(n), dtype: '\"float31\"'}",
            "9:34 unknown dtype `float31` | did you mean `float32`?"},
        Row{"rng.random(n)}", "rng.random(n), dtype: a.size}",
            "9:33 `a.size` is not known yet where `dtype` needs it | use axes"},
        Row{"  z: {out", "  n: {out",
            "10:3 the argument `n` has an axis's name and is not that axis | rename one, or write "
            "{scalar: n}"},
        Row{"  a: {in", "  k: {scalar: 3}\n  a: {in", "no error"},
        Row{"block: 128", "block: a",
            "12:10 `a` is an array | arithmetic sees a.size, a.shape and a.nbytes"},
        Row{"block: 128", "block: nn", "12:10 `nn` is no axis | did you mean `n`?"},
        Row{"block: 128", "block: device.warpsize",
            "12:10 `device.warpsize` is unknown | did you mean `device.warp_size`?"},
        Row{"reference:\n  z: 2 * a\n", "",
            "10:3 the output `z` has no reference | add it to `reference`, or to `check`"},
        Row{"  z: 2 * a", "  a: 2 * a",
            "14:3 unknown output in `reference` `a` | did you mean `z`?"},
        Row{"  z: 2 * a", "  z: [1]", "14:6 `z` must be text, and here is a list"}));

TEST(BadSuite, ScalarsAreOutOfArithmeticsSight) {
  const std::string text = changed("  z: {out: a.shape}", "  z: {out: a.shape}\n  k: {scalar: 3}");
  EXPECT_EQ(
      error_of(std::string(text).replace(text.find("128"), 3, "k")),
      "13:10 `k` is a scalar argument, which arithmetic does not see | make it an axis, and the "
      "argument {scalar: k}");
}

TEST(BadSuite, AFaultNamesAnArrayArgument) {
  const std::string text =
      changed("reference:\n  z: 2 * a\n", "expect: {fault: trap, argument: y}\n");
  EXPECT_EQ(error_of(text), "13:33 unknown array argument `y` | did you mean `a`?");
}

TEST(BadSuite, AnEmptyFileSaysSo) {
  EXPECT_EQ(error_of(""), "1:1 the file is empty");
}

TEST(BadSuite, NestingTooDeepIsAnErrorAndNoCrash) {
  EXPECT_NE(error_of("a: " + std::string(100000, '[')), "no error");
}

}  // namespace
}  // namespace warpmark
