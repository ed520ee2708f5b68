// Starting Python and NumPy. A process has one interpreter only, so most of these run in a process
// of their own, as gtest's "threadsafe" death tests.
#include "python/interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.hpp"
#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::at;
using testing::error_of;
using ::testing::ExitedWithCode;

// Returns whether a condition on Python's `sys` holds. It is asked without NumPy, so `sys` comes
// from a builtin's module.
bool holds(Interpreter& python, const std::string& condition) {
  const PythonExpression question =
      at("(lambda sys: [" + condition + "])(copyright.__init__.__globals__['sys'])");
  return evaluate_list_with_builtins_only(python, question) == std::vector<PythonValue>{true};
}

// Runs `body` in a process that has no interpreter yet; it passes by returning true.
void expect_in_new_process(bool (*body)(), const std::string& on_stderr = "") {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(body() ? 0 : 1), ExitedWithCode(0), on_stderr);
}

TEST(InterpreterDeathTest, NumPyIsImportedOnDemandOnly) {
  expect_in_new_process([] {
    Interpreter python;
    check_syntax(python, at("np.zeros(3)"));
    const bool none_before = holds(python, "'numpy' not in sys.modules");
    python.require_numpy();
    const bool some_after = holds(python, "'numpy' in sys.modules");
    return none_before && some_after;
  });
}

TEST(InterpreterDeathTest, TheWorkingDirectoryAndTheEnvironmentHaveNoSay) {
  expect_in_new_process([] {
    const TemporaryFolder trap;
    write_file_atomically(trap.path() / "numpy.py", "raise SystemExit('trapped')");
    write_file_atomically(trap.path() / "sitecustomize.py", "raise SystemExit('trapped')");
    fs::current_path(trap.path());
    ::setenv("PYTHONPATH", trap.path().c_str(), 1);
    ::setenv("PYTHONHOME", trap.path().c_str(), 1);
    ::setenv("PYTHONSTARTUP", (trap.path() / "numpy.py").c_str(), 1);
    Interpreter python;
    const bool isolated = holds(python, "'' not in sys.path and '" + trap.path().string() +
                                            "' not in sys.path and sys.flags.isolated == 1 and "
                                            "sys.flags.no_user_site == 1");
    return isolated && python.require_numpy().folder.filename() == "numpy";
  });
}

TEST(InterpreterDeathTest, AMissingNumPyIsAnEnvironmentErrorWithTheRemedy) {
  // An environment made by hand, with no site-packages, that is otherwise that of the build.
  expect_in_new_process([] {
    const TemporaryFolder venv;
    const fs::path bin = venv.path() / "bin";
    fs::create_directory(bin);
    const PythonIdentity linked = linked_python();
    fs::create_symlink(linked.executable, bin / "python3");
    write_file_atomically(venv.path() / "pyvenv.cfg",
                          "home = " + linked.executable.parent_path().string() +
                              "\ninclude-system-site-packages = false\n");
    Interpreter python(choose_python({"", venv.path().string(), linked.executable}));
    const Error error = error_of([&] { python.require_numpy(); });
    const bool named = error.code() == ExitCode::environment &&
                       error.message().find((bin / "python3").string()) != std::string::npos &&
                       error.message().find("No module named 'numpy'") != std::string::npos &&
                       error.hint().find("-m pip install numpy") != std::string::npos;
    const bool inside = holds(python, "sys.prefix == '" + venv.path().string() + "'");
    return named && inside;
  });
}

TEST(InterpreterDeathTest, StdoutOfPythonGoesToStderr) {
  expect_in_new_process(
      [] {
        Interpreter python;
        evaluate_list_with_builtins_only(python, at("[print('said by Python') or 1]"));
        return true;
      },
      "said by Python");
}

TEST(InterpreterDeathTest, InterruptsAreNotPythons) {
  expect_in_new_process([] {
    Interpreter python;
    python.require_numpy();
    struct sigaction action = {};
    ::sigaction(SIGINT, nullptr, &action);
    return action.sa_handler == SIG_DFL;
  });
}

TEST(InterpreterDeathTest, NumPyIsImportedInTheBackground) {
  expect_in_new_process([] {
    Interpreter python;
    python.begin_importing_numpy();
    python.begin_importing_numpy();
    evaluate_list_with_builtins_only(python, at("[1]"));  // the lock is free meanwhile
    const Value value = evaluate(python, at("np.arange(3)"), PythonScope());
    const bool right = to_array(value, *find_dtype("int32")).size() == 3;
    return right;
  });
}

TEST(InterpreterDeathTest, AnImportThatNobodyAwaitsEndsWithTheInterpreter) {
  expect_in_new_process([] {
    Interpreter python;
    python.begin_importing_numpy();
    return true;
  });
}

TEST(Interpreter, IsMadeOnce) {
  testing::python();
  EXPECT_EQ(error_of([] { Interpreter second; }).code(), ExitCode::internal);
}

TEST(Interpreter, NumPyIsNewEnoughAndThatOfTheChoice) {
  const NumPy& numpy = testing::python().require_numpy();
  EXPECT_FALSE(numpy.version.empty());
  EXPECT_TRUE(fs::exists(numpy.folder / "__init__.py"));
  if (const char* wanted = std::getenv("WARPMARK_TEST_NUMPY_MAJOR")) {
    EXPECT_EQ(numpy.version.substr(0, 1), wanted);
  }
}

TEST(Interpreter, ServesSeveralThreads) {
  testing::python();
  std::vector<std::thread> threads;
  std::vector<int64_t> sums(4);
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sums, t] {
      for (int i = 0; i < 20; ++i) {
        PythonScope scope;
        scope.set_value("t", static_cast<int64_t>(t));
        const Value value = testing::value_of("np.full(5, t).sum()", scope);
        sums[t] += testing::elements<int64_t>(scalar_bytes(value, testing::dtype("int64"))).at(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, (std::vector<int64_t>{0, 100, 200, 300}));
}

}  // namespace
}  // namespace warpmark
