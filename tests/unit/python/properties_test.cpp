// The ready properties of `check`: what holds, what does not, in which words, and what is refused.
#include "python/properties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pybind11/embed.h>

#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using testing::dtype;
using ::testing::HasSubstr;
using testing::python;
using testing::value_of;

class Properties : public ::testing::Test {
 protected:
  using Values = std::map<std::string, std::string>;  // NumPy by key

  static std::string ask_of(const std::string& property, const std::string& array,
                            std::string_view type, const Values& values = {},
                            const std::string& word = "",
                            const std::vector<std::string>& args = {}) {
    const Array a = to_array(value_of(array), dtype(type));
    PropertyQuestion question{property, "a", {"s.yaml", 9, 3}};
    question.word = word;
    for (const auto& [key, text] : values) {
      if (property == "permutation") {
        question.arrays.emplace(key, to_array(value_of(text), dtype(type)));
        question.texts.emplace(key, "x");
      } else {
        question.values.emplace(key, value_of(text));
      }
    }
    for (const std::string& text : args) question.args.push_back(value_of(text));
    return ask(python(), question, a);
  }

  static std::string sorted(const std::string& array, std::string_view type = "float32",
                            const std::string& order = "") {
    return ask_of("sorted", array, type, {}, order);
  }
  static std::string permutation(const std::string& array, const std::string& of,
                                 std::string_view type = "float32") {
    return ask_of("permutation", array, type, {{"of", of}});
  }
  static std::string within(const std::string& array, const Values& bounds,
                            std::string_view type = "float32") {
    return ask_of("within", array, type, bounds);
  }
  static std::string moments(const std::string& array, const Values& values,
                             std::string_view type = "float64") {
    return ask_of("moments", array, type, values);
  }
};

constexpr const char* kTypes[] = {"bool",   "int8",   "int16",  "int32",   "int64",   "uint8",
                                  "uint16", "uint32", "uint64", "float16", "float32", "float64"};

TEST_F(Properties, HoldForEveryDtype) {
  for (const char* type : kTypes) {
    EXPECT_EQ(sorted("np.array([False, True, True])", type), "") << type;
    EXPECT_EQ(sorted("np.array([True, True, False])", type, "descending"), "") << type;
    EXPECT_NE(sorted("np.array([True, False])", type), "") << type;
    EXPECT_NE(sorted("np.array([False, True])", type, "descending"), "") << type;
    EXPECT_EQ(permutation("np.array([True, False])", "np.array([False, True])", type), "") << type;
    EXPECT_NE(permutation("np.array([True, True])", "np.array([False, True])", type), "") << type;
    EXPECT_EQ(within("np.array([True, False])", {{"low", "0"}, {"high", "1"}}, type), "") << type;
    EXPECT_NE(within("np.array([True, False])", {{"low", "1"}}, type), "") << type;
    EXPECT_NE(within("np.array([True, False])", {{"high", "0"}}, type), "") << type;
    EXPECT_EQ(moments("np.arange(1000) % 2 > 0", {{"mean", "0.5"}, {"variance", "0.25"}}, type), "")
        << type;
    EXPECT_NE(moments("np.arange(1000) % 2 > 0", {{"mean", "0.9"}}, type), "") << type;
  }
}

TEST_F(Properties, SortedNamesTheFirstPairOutOfOrder) {
  EXPECT_EQ(sorted("[1, 3, 2.5, 1]"), "`a` is not sorted: a[1] = 3.0 comes before a[2] = 2.5");
  EXPECT_EQ(sorted("[3, 2, 2, 4]", "int32", "descending"),
            "`a` is not sorted in descending order: a[2] = 2 comes before a[3] = 4");
  EXPECT_EQ(sorted("[[1, 2], [0, 1]]"), "") << "along the last axis only";
  EXPECT_EQ(sorted("[[1, 2], [3, 1]]"),
            "`a` is not sorted: a[1, 0] = 3.0 comes before a[1, 1] = "
            "1.0");
  EXPECT_EQ(sorted("[]"), "");
  EXPECT_EQ(sorted("5"), "");
  EXPECT_EQ(sorted("[7]"), "");
}

TEST_F(Properties, SortedHasNanLast) {
  EXPECT_EQ(sorted("np.sort([1, np.nan, -np.inf, np.inf, np.nan])"), "");
  EXPECT_EQ(sorted("[3, 1, np.nan, np.nan]", "float32", "descending"), "");
  EXPECT_EQ(sorted("[1, np.nan, 2]"), "`a` is not sorted: a[1] = nan comes before a[2] = 2.0");
  EXPECT_NE(sorted("[np.nan, 2, 1]", "float16", "descending"), "");
}

TEST_F(Properties, PermutationCountsEachElement) {
  EXPECT_EQ(permutation("[3, 1, 2, 1]", "[1, 1, 2, 3]"), "");
  EXPECT_EQ(permutation("[3, 3, 2, 1]", "[1, 1, 2, 3]"),
            "`a` is no permutation of `x`: 1.0 is there 1 time, and 2 times in `x`");
  EXPECT_EQ(permutation("[1, 0, 2, 1]", "[1, 1, 2, 3]", "int64"),
            "`a` is no permutation of `x`: a[1] = 0 is there 1 time, and 0 times in `x`");
  EXPECT_EQ(permutation("[1, 2]", "[1, 2, 3]"),
            "`a` is no permutation of `x`: it has 2 elements, and 3 are expected");
  EXPECT_EQ(permutation("[[1, 2], [3, 4]]", "[4, 3, 2, 1]"), "");
  EXPECT_EQ(permutation("[]", "[]"), "");
}

TEST_F(Properties, PermutationComparesNanByBitsAndHasOneZero) {
  EXPECT_EQ(permutation("[np.nan, 1]", "[1, np.nan]"), "");
  EXPECT_EQ(permutation("[0.0, 1]", "[1, -0.0]"), "");
  EXPECT_NE(permutation("np.array([0x7fc00000, 0], np.uint32).view(np.float32)",
                        "np.array([0x7fc00001, 0], np.uint32).view(np.float32)"),
            "");
}

TEST_F(Properties, WithinIsClosedAndRefusesNan) {
  EXPECT_EQ(within("[0, 0.1, 1]", {{"low", "0"}, {"high", "1"}}), "");
  EXPECT_EQ(within("[0.1]", {{"low", "0.1"}, {"high", "0.1"}}), "") << "as float32 has it";
  EXPECT_EQ(within("[0.5, 2]", {{"high", "1"}}),
            "`a` is out of bounds: a[1] = 2.0, and must be at most 1");
  EXPECT_EQ(within("[[1, 2], [3, 4]]", {{"low", "[0, 3]"}}),
            "`a` is out of bounds: a[0, 1] = 2.0, and must be at least 3");
  EXPECT_EQ(within("[1, np.nan]", {{"low", "0"}}), "`a` is out of bounds: a[1] = nan is no number");
  EXPECT_EQ(within("7", {{"high", "6"}}, "uint8"),
            "`a` is out of bounds: a = 7, and must be at most 6");
  EXPECT_EQ(within("[255]", {{"low", "-1"}, {"high", "1000"}}, "uint8"), "");
  EXPECT_EQ(within("[]", {{"low", "0"}}), "");
}

TEST_F(Properties, MomentsOfASample) {
  const std::string normal = "np.random.default_rng(1).normal(2, 3, 20000)";
  EXPECT_EQ(moments(normal, {{"mean", "2"}, {"variance", "9"}}), "");
  EXPECT_THAT(moments(normal, {{"mean", "2.2"}}), HasSubstr("the mean of `a` is 1.9"));
  EXPECT_THAT(moments(normal, {{"mean", "2.2"}}), HasSubstr("and must be 2.2 ± 0.13 (6 standard"));
  EXPECT_EQ(moments(normal, {{"mean", "2.2"}, {"sigmas", "20"}}), "");
  EXPECT_THAT(moments(normal, {{"variance", "10"}}), HasSubstr("the variance of `a` is "));
  EXPECT_EQ(
      moments("np.random.default_rng(1).random(20000)", {{"mean", "0.5"}, {"variance", "1/12"}}),
      "");
  EXPECT_NE(moments("np.zeros(100)", {{"variance", "1/12"}}), "");
}

TEST_F(Properties, TheVariancesErrorComesFromTheFourthMoment) {
  const std::string sample = "np.tile([0, 1, 2, 3, 4, 5, 6, 40], 200)";  // of great kurtosis
  // Six of it: n is 1600.
  const std::string error =
      "(lambda x: 6 * np.sqrt((((x - x.mean())**4).mean() - x.var()**2 * 1597 / 1599) / 1600))(" +
      sample + ")";
  const std::string variance = sample + ".var(ddof=1)";
  EXPECT_EQ(moments(sample, {{"variance", variance + " + 0.999 * " + error}}), "");
  EXPECT_NE(moments(sample, {{"variance", variance + " + 1.001 * " + error}}), "");
}

TEST_F(Properties, ASampleHasNumbersAndEnoughOfThem) {
  EXPECT_EQ(moments("[1, np.inf, 2]", {{"mean", "0"}}),
            "`a` is no sample of numbers: it has a[1] = inf");
  EXPECT_EQ(moments("[1]", {{"mean", "1"}}),
            "`a` is too small a sample: it has 1 of at least 100 elements");
}

TEST_F(Properties, ValuesThatDoNotFitAreRefusedAtTheirPlace) {
  const auto refusal = [](const std::string& property, const Values& values) {
    return testing::error_of([&] { ask_of(property, "[1, 2]", "float32", values); });
  };
  EXPECT_EQ(refusal("within", {{"low", "np.nan"}}).message(), "`low` is NaN, which bounds nothing");
  EXPECT_EQ(refusal("within", {{"low", "np.nan"}}).where().column, 10);
  EXPECT_THAT(refusal("within", {{"high", "[1, 2, 3]"}}).message(), HasSubstr("shape (3,)"));
  EXPECT_THAT(refusal("within", {{"high", "'a'"}}).message(), HasSubstr("must be numbers"));
  EXPECT_THAT(refusal("moments", {{"mean", "[1, 2]"}}).message(), HasSubstr("one finite number"));
  EXPECT_THAT(refusal("moments", {{"variance", "-1"}}).message(), HasSubstr("cannot be negative"));
  EXPECT_THAT(refusal("moments", {{"mean", "0"}, {"sigmas", "0"}}).message(),
              HasSubstr("`sigmas` is 0.0, and must be more than 0"));
}

// Stands in for SciPy for as long as it lives.
class FakeSciPy {
 public:
  explicit FakeSciPy(const char* text) {
    const pybind11::gil_scoped_acquire lock;
    pybind11::dict scope;
    scope["text"] = text;
    pybind11::exec(R"(
import sys, types
kept = {name: sys.modules.pop(name) for name in list(sys.modules)
        if name == "scipy" or name.startswith("scipy.")}
if text:
    scipy, stats = types.ModuleType("scipy"), types.ModuleType("scipy.stats")
    exec(text, stats.__dict__)
    scipy.stats = stats
    sys.modules.update({"scipy": scipy, "scipy.stats": stats})
else:
    sys.modules["scipy"] = None
)",
                   scope);
    kept_ = scope["kept"];
  }
  ~FakeSciPy() {
    const pybind11::gil_scoped_acquire lock;
    const pybind11::object modules = pybind11::module_::import("sys").attr("modules");
    modules.attr("pop")("scipy", pybind11::none());
    modules.attr("pop")("scipy.stats", pybind11::none());
    modules.attr("update")(kept_);
    kept_.release().dec_ref();
  }

 private:
  pybind11::object kept_;
};

constexpr const char* kStats = R"(
import types
class norm:
    cdf = None
def kstest(x, name, args):
    global asked
    asked = (x.size, name, args)
    p = 0.5 if args == (0.0, 2.0) else 1e-7
    return types.SimpleNamespace(statistic=0.25, pvalue=p)
)";

TEST_F(Properties, ADistributionIsAskedOfSciPy) {
  const FakeSciPy scipy(kStats);
  const auto distribution = [](const std::vector<std::string>& args, const Values& values,
                               const std::string& cdf = "norm") {
    return ask_of("distribution", "[1, 2, 3]", "float32", values, cdf, args);
  };
  EXPECT_EQ(distribution({"0", "2"}, {}), "");
  EXPECT_EQ(distribution({"0", "1"}, {}), "") << "1e-7 is more than 1e-9";
  EXPECT_EQ(distribution({"0", "1"}, {{"p", "1e-6"}}),
            "`a` is no sample of norm(0, 1): the Kolmogorov-Smirnov statistic is 0.25, p = 1e-07, "
            "and p must be at least 1e-06");
  EXPECT_EQ(testing::error_of([&] { distribution({}, {}, "nonsense"); }).message(),
            "SciPy has no distribution `nonsense`");
}

TEST_F(Properties, WithoutSciPyTheEnvironmentIsToBlame) {
  const FakeSciPy none("");
  const Error error =
      testing::error_of([] { ask_of("distribution", "[1, 2, 3]", "float32", {}, "norm"); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.message(), HasSubstr("has no usable SciPy, which `distribution` needs"));
  EXPECT_THAT(error.hint(), HasSubstr("pip install scipy"));
}

TEST_F(Properties, RealSciPyAgrees) {
  const std::string uniform = "np.random.default_rng(1).random(1000)";
  try {
    EXPECT_EQ(ask_of("distribution", uniform, "float32", {}, "uniform"), "");
    EXPECT_NE(ask_of("distribution", uniform, "float32", {}, "norm"), "");
    EXPECT_EQ(ask_of("distribution", "3 + 2 * " + uniform, "float32", {}, "uniform", {"3", "2"}),
              "");
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    GTEST_SKIP() << error.message();
  }
}

}  // namespace
}  // namespace warpmark
