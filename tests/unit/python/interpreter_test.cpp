// A process has one interpreter only, so most tests here run their body in a fresh process, by
// gtest's "threadsafe" death tests; exit status 0 is the pass.
#include "python/interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
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
using ::testing::HasSubstr;

class InterpreterDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// What a list expression gives, without NumPy. `sys` is reached from what the builtins hold.
bool holds(Interpreter& python, const std::string& condition) {
  const std::string sys = "(lambda sys: [" + condition +
                          "])(type(__spec__ if False else ().__class__).__init__ and "
                          "[c for c in ().__class__.__base__.__subclasses__() "
                          "if c.__name__ == '_wrap_close'][0].__init__.__globals__['sys'])";
  return evaluate_list_with_builtins_only(python, at(sys)) == std::vector<PythonValue>{true};
}

TEST_F(InterpreterDeathTest, NumPyIsImportedOnDemandOnly) {
  EXPECT_EXIT(
      {
        Interpreter python;
        check_syntax(python, at("np.zeros(3)"));
        const bool none_before = holds(python, "'numpy' not in sys.modules");
        python.require_numpy();
        const bool some_after = holds(python, "'numpy' in sys.modules");
        std::_Exit(none_before && some_after ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(InterpreterDeathTest, TheWorkingDirectoryAndTheEnvironmentHaveNoSay) {
  const TemporaryFolder folder;
  EXPECT_EXIT(
      {
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
        std::_Exit(isolated && python.require_numpy().folder.filename() == "numpy" ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(InterpreterDeathTest, AMissingNumPyIsAnEnvironmentErrorWithTheRemedy) {
  // An environment made by hand, with no site-packages, that is otherwise that of the build.
  EXPECT_EXIT(
      {
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
        std::_Exit(named && inside ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(InterpreterDeathTest, StdoutOfPythonGoesToStderr) {
  EXPECT_EXIT(
      {
        {
          Interpreter python;
          evaluate_list_with_builtins_only(python, at("[print('said by Python') or 1]"));
        }
        std::_Exit(0);
      },
      ExitedWithCode(0), "said by Python");
}

TEST_F(InterpreterDeathTest, InterruptsAreNotPythons) {
  EXPECT_EXIT(
      {
        Interpreter python;
        python.require_numpy();
        struct sigaction action = {};
        ::sigaction(SIGINT, nullptr, &action);
        std::_Exit(action.sa_handler == SIG_DFL ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(InterpreterDeathTest, NumPyIsImportedInTheBackground) {
  EXPECT_EXIT(
      {
        Interpreter python;
        python.begin_importing_numpy();
        python.begin_importing_numpy();
        evaluate_list_with_builtins_only(python, at("[1]"));  // the lock is free meanwhile
        const Value value = evaluate(python, at("np.arange(3)"), Scope());
        const bool right = to_array(value, *find_dtype("int32")).size() == 3;
        std::_Exit(right ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(InterpreterDeathTest, AnImportThatNobodyAwaitsEndsWithTheInterpreter) {
  EXPECT_EXIT(
      {
        {
          Interpreter python;
          python.begin_importing_numpy();
        }
        std::exit(0);
      },
      ExitedWithCode(0), "");
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
        Scope scope;
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
