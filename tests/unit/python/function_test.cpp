// Functions of Python files: arguments by name, isolation, and errors with their places.
#include "python/function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.hpp"
#include "python/conversion.hpp"
#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

using ::testing::HasSubstr;
using testing::python;

class Function : public ::testing::Test {
 protected:
  PythonFunction function(const std::string& text, const std::string& name = "f") {
    const std::string file = "f" + std::to_string(++files_) + ".py";
    write_file_atomically(folder_.path() / file, text);
    return python_function({file + ":" + name, {"s.yaml", 12, 7}, false}, folder_.path());
  }

  double number(const std::string& text) {
    const auto bytes = scalar_bytes(call(python(), function(text), scope_), *find_dtype("float64"));
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  Error error(const PythonFunction& function) {
    try {
      call(python(), function, scope_, ExitCode::verdict);
    } catch (const Error& caught) {
      return caught;
    }
    return usage_error("no error");
  }
  Error error(const std::string& text, const std::string& name = "f") {
    return error(function(text, name));
  }

  const TemporaryFolder folder_{"function"};
  PythonScope scope_;
  int files_ = 0;
};

TEST_F(Function, ParametersGetWhatTheyName) {
  scope_.set_value("n", int64_t{5});
  scope_.set_generator({0, "s", "c", "a", 0});
  EXPECT_EQ(number("def f(n): return n + 1\n"), 6);
  EXPECT_EQ(number("def f(n, /, np, *, k=2, **rest): return np.sqrt(4) * n * k + len(rest)\n"), 20);
  EXPECT_EQ(number("f = lambda n: 3 * n\n"), 15);
  EXPECT_EQ(number("def f(rng): return rng.random() * 0 + 1\n"), 1);
  EXPECT_EQ(number("import dataclasses\n@dataclasses.dataclass\nclass P:\n  x: int = 4\n"
                   "def f(): return P().x\n"),
            4);
}

TEST_F(Function, AFileRunsOnceAndEachFileIsItsOwnModule) {
  const PythonFunction counting = function(
      "count = 0\ndef f():\n  global count\n  count += 1\n"
      "  return count\n");
  const DType type = *find_dtype("int64");
  EXPECT_EQ(scalar_bytes(call(python(), counting, scope_), type)[0], std::byte{1});
  EXPECT_EQ(scalar_bytes(call(python(), counting, scope_), type)[0], std::byte{2});
  EXPECT_EQ(number("count = 7\ndef f(): return count\n"), 7);
  // Nothing is written beside a suite.
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "__pycache__"));
}

TEST_F(Function, AnExceptionShowsTheFilesLine) {
  const Error raised = error(
      "import math\n\ndef g(x):\n    return math.sqrt(x)\n\ndef f():\n"
      "    return g(-1)\n");
  EXPECT_EQ(raised.code(), ExitCode::verdict);
  EXPECT_THAT(raised.message(), HasSubstr("`f` failed: ValueError: math domain error"));
  EXPECT_THAT(raised.where().file, ::testing::EndsWith("f1.py"));
  EXPECT_EQ(raised.where().line, 4);
  EXPECT_THAT(raised.hint(), HasSubstr("s.yaml:12:7"));
}

TEST_F(Function, ASyntaxErrorHasLineAndColumn) {
  const PythonFunction broken = function("def f():\n    return (1 +\n");
  const Error raised = error(broken);
  EXPECT_THAT(raised.message(), HasSubstr("it is not Python: "));
  EXPECT_EQ(raised.where().line, 2);
  EXPECT_GT(raised.where().column, 0);
  try {
    check_syntax(python(), broken);
    ADD_FAILURE();
  } catch (const Error& caught) {
    EXPECT_EQ(caught.code(), ExitCode::usage);
    EXPECT_EQ(caught.where().line, 2);
  }
  check_syntax(python(), function("raise SystemExit('not run')\n"));
}

TEST_F(Function, WhatIsMissingIsNamedWhereTheSuiteNamesIt) {
  scope_.set_value("length", int64_t{5});
  const Error parameter = error("def f(lenght): return 1\n");
  EXPECT_EQ(parameter.message(), "`f` wants `lenght`, which there is not");
  EXPECT_EQ(parameter.hint(), "did you mean `length`?");
  EXPECT_EQ(parameter.where(), (Position{"s.yaml", 12, 7}));
  const Error name = error("def g(): return 1\n", "gg");
  EXPECT_THAT(name.message(), HasSubstr("there is no function `gg` in "));
  EXPECT_EQ(name.hint(), "did you mean `g`?");
  EXPECT_THAT(error("f = 3\n").message(), HasSubstr("is no function"));
  const Error file =
      error(python_function({"none.py:f", {"s.yaml", 12, 7}, false}, folder_.path()));
  EXPECT_EQ(file.where().line, 12);
  EXPECT_THAT(file.message(), HasSubstr("none.py"));
}

TEST_F(Function, FilesBesideItAreNotImported) {
  write_file_atomically(folder_.path() / "sibling.py", "x = 1\n");
  const Error raised = error("import sibling\ndef f(): return 1\n");
  EXPECT_THAT(raised.message(), HasSubstr("No module named 'sibling'"));
  EXPECT_EQ(raised.where().line, 1);
  EXPECT_THAT(raised.hint(), HasSubstr("no files beside it"));
  // A file that failed is tried again, and fails alike.
  EXPECT_THAT(error("import sibling\n").message(), HasSubstr("sibling"));
}

TEST_F(Function, ItsArraysCannotBeChanged) {
  Array array(*find_dtype("float32"), {4});
  scope_.set_array("a", array);
  EXPECT_THAT(error("def f(a):\n  a[0] = 1\n").message(), HasSubstr("read-only"));
}

class Ask : public Function {
 protected:
  // The failure's message; "holds" if there is none.
  std::string answer(const std::string& text) {
    const auto failure = ask(python(), function(text), scope_, ExitCode::verdict);
    if (!failure) return "holds";
    where_ = failure->where();
    EXPECT_EQ(failure->code(), ExitCode::verdict);
    return failure->message();
  }
  Error refusal(const std::string& text) {
    return testing::error_of([&] { answer(text); });
  }
  Position where_;
};

TEST_F(Ask, TrueHoldsAndAllElseSaysWhy) {
  EXPECT_EQ(answer("def f(): return True\n"), "holds");
  EXPECT_EQ(answer("def f(np): return np.all(np.arange(3) >= 0)\n"), "holds");
  EXPECT_EQ(answer("def f(): return False\n"), "the check `f` returned False");
  EXPECT_EQ(where_.line, 12);
  EXPECT_EQ(answer("def f(np): return np.any(np.arange(3) > 5)\n"), "the check `f` returned False");
  EXPECT_EQ(answer("def f(): return 'it is too long'\n"), "the check `f` says: it is too long");
}

TEST_F(Ask, WhatItRaisesFailsAtItsLine) {
  EXPECT_EQ(answer("def f():\n  x = 1\n  assert x == 2, 'no two'\n"),
            "the check `f` failed: AssertionError: no two");
  EXPECT_EQ(where_.line, 3);
  EXPECT_EQ(answer("def f(): return [][1]\n"),
            "the check `f` failed: IndexError: list index out of range");
}

TEST_F(Ask, OtherAnswersAreRefused) {
  const Error none = refusal("def f(): assert True\n");
  EXPECT_EQ(none.message(), "the check `f` returns no verdict");
  EXPECT_THAT(none.hint(), HasSubstr("return True, False, or a text"));
  const Error array = refusal("def f(np): return np.ones(3) > 0\n");
  EXPECT_THAT(array.message(), HasSubstr("returned an array"));
  EXPECT_THAT(array.hint(), HasSubstr(".all()"));
  EXPECT_THAT(refusal("def f(): return 1\n").message(), HasSubstr("a value of type int"));
  EXPECT_THAT(refusal("def g(): return True\n").message(), HasSubstr("no function `f`"));
  EXPECT_THAT(refusal("def f(oops): return True\n").message(), HasSubstr("wants `oops`"));
}

TEST_F(Ask, AMapOfArraysIsADict) {
  Array array(*find_dtype("int32"), {3});
  scope_.set_arrays("before", {{{"a", array}}});
  EXPECT_EQ(answer("def f(before): return list(before) == ['a'] and before['a'].size == 3\n"),
            "holds");
  EXPECT_THAT(answer("def f(before): before['a'][0] = 1\n"), HasSubstr("read-only"));
}

TEST_F(Ask, ParametersAreThoseWithANameOfTheirOwn) {
  EXPECT_EQ(parameters_of(python(), function("def f(a, b=1, /, c=2, *d, e, **g): pass\n"),
                          ExitCode::verdict),
            (std::vector<std::string>{"a", "b", "c", "e"}));
}

}  // namespace
}  // namespace warpmark
