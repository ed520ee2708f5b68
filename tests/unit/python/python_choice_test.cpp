#include "python/python_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/file.hpp"
#include "python/install_hint.hpp"
#include "unit/python/python_test.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using ::testing::HasSubstr;

// A program that answers the probe with what we like.
fs::path fake_python(const fs::path& path, const std::string& version, const std::string& prefix) {
  write_file_atomically(path, "#!/bin/sh\necho noise\nprintf '%s\\n' warpmark-probe '" +
                                  path.string() + "' '" + version + "' '" + prefix + "'\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

class PythonChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("WARPMARK_CACHE_DIR", (folder_.path() / "cache").c_str(), 1); }
  void TearDown() override { ::unsetenv("WARPMARK_CACHE_DIR"); }

  const TemporaryFolder folder_;
  const PythonIdentity linked_ = linked_python();
  const std::string prefix_ = linked_.base_prefix.string();
};

TEST_F(PythonChoiceTest, AHintNamesAnotherPythonOnlyWhereTheProgramCanRunInOne) {
  PythonChoice choice;
  choice.python.executable = "/opt/venv/bin/python3";
  choice.origin = "host";
  EXPECT_EQ(install_hint(choice, "numpy"),
            "install it with `/opt/venv/bin/python3 -m pip install numpy`");
  choice.origin = "build";
  EXPECT_THAT(install_hint(choice, "scipy"), HasSubstr(" -m pip install scipy` or your system's"));
  EXPECT_THAT(install_hint(choice, "scipy"), HasSubstr("or set WARPMARK_PYTHON to a Python"));
}

TEST_F(PythonChoiceTest, TheRecordedOneFitsTheLinkedLibrary) {
  const PythonChoice choice = choose_python({"", "", linked_.executable});
  EXPECT_EQ(choice.origin, "build");
  EXPECT_EQ(choice.python.version, linked_.version);
  EXPECT_TRUE(choice.notices.empty());
  EXPECT_THAT(choice.text(), HasSubstr("found when Warpmark was built"));
}

TEST_F(PythonChoiceTest, TheOrderIsVariableEnvironmentRecorded) {
  const fs::path named = fake_python(folder_.path() / "named", linked_.version, prefix_);
  const fs::path in_venv =
      fake_python(folder_.path() / "venv" / "bin" / "python3", linked_.version, prefix_);
  const std::string venv = (folder_.path() / "venv").string();
  EXPECT_EQ(choose_python({named, venv, linked_.executable}).python.executable, named);
  const PythonChoice second = choose_python({"", venv, linked_.executable});
  EXPECT_EQ(second.python.executable, in_venv);
  EXPECT_EQ(second.origin, "VIRTUAL_ENV");
}

TEST_F(PythonChoiceTest, AnExplicitMisfitIsAnErrorThatNamesBothSides) {
  const fs::path old = fake_python(folder_.path() / "old", "2.7", prefix_);
  const Error error = error_of([&] { choose_python({old, "", linked_.executable}); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.message(), HasSubstr(old.string()));
  EXPECT_THAT(error.message(),
              HasSubstr("it is Python 2.7, but Warpmark is linked to Python " + linked_.version));
  EXPECT_THAT(error.hint(), HasSubstr("-m venv"));
  const fs::path foreign = fake_python(folder_.path() / "foreign", linked_.version, "/elsewhere");
  EXPECT_THAT(error_of([&] {
                choose_python({foreign, "", linked_.executable});
              }).message(),
              HasSubstr("its base prefix is /elsewhere, but Warpmark is linked to the Python in " +
                        prefix_));
}

TEST_F(PythonChoiceTest, WhatIsNoPythonSaysSo) {
  const auto message = [&](const std::string& name) {
    return error_of([&] { choose_python({name, "", linked_.executable}); }).message();
  };
  EXPECT_THAT(message("/nonexistent/python"), HasSubstr("cannot be run: No such file"));
  EXPECT_THAT(message("true"), HasSubstr("does not behave like Python"));
  EXPECT_THAT(message("false"), HasSubstr("exit status 1"));
}

TEST_F(PythonChoiceTest, AnUnusableEnvironmentIsPassedOverWithANotice) {
  fake_python(folder_.path() / "bin" / "python3", "3.1", prefix_);
  const PythonChoice choice = choose_python({"", folder_.path().string(), linked_.executable});
  EXPECT_EQ(choice.origin, "build");
  ASSERT_EQ(choice.notices.size(), 1U);
  EXPECT_THAT(choice.notices[0],
              HasSubstr(folder_.path().string() + " is not used: it is Python 3.1"));
  EXPECT_THAT(choice.text(), HasSubstr("is not used"));
  // The environment was perhaps made for the module that the stand-in has not.
  EXPECT_EQ(
      choice.lacks("SciPy", "no module", "install it").message(),
      choice.python.executable.string() + " has no usable SciPy: no module; " + choice.notices[0]);
}

TEST_F(PythonChoiceTest, APlainPythonStandsInForARecordedOneThatHasGone) {
  const fs::path plain = fake_python(folder_.path() / "plain", linked_.version, prefix_);
  const PythonChoice choice = choose_python({"", "", "/nonexistent/python", plain});
  EXPECT_EQ(choice.python.executable, plain);
  EXPECT_THAT(choice.text(), HasSubstr("beside the libpython that Warpmark is linked to"));
  ASSERT_EQ(choice.notices.size(), 1U);
  EXPECT_THAT(choice.notices[0], HasSubstr("/nonexistent/python, is not used: it cannot be run"));
  const PythonChoice recorded = choose_python({"", "", linked_.executable, plain});
  EXPECT_EQ(recorded.origin, "build");
}

TEST_F(PythonChoiceTest, AnInterpreterIsAskedOnceUntilItChanges) {
  const fs::path log = folder_.path() / "log";
  const auto install = [&](const std::string& version) {
    const fs::path python = fake_python(folder_.path() / "own" / "python", version, prefix_);
    std::ofstream(python, std::ios::app) << "echo asked >> " << log.string() << "\n";
    return python;
  };
  const auto asked = [&] {
    std::ifstream file(log);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const fs::path python = install(linked_.version);
  choose_python({python, "", linked_.executable});
  EXPECT_FALSE(fs::exists(folder_.path() / "cache")) << "looking makes no folder";
  fs::create_directory(folder_.path() / "cache");
  fs::remove(log);
  for (int i = 0; i < 3; ++i) {
    const PythonChoice choice = choose_python({python, "", linked_.executable});
    EXPECT_EQ(choice.python.executable, python);
    EXPECT_EQ(choice.python.base_prefix, linked_.base_prefix);
    EXPECT_EQ(asked(), 1);
  }
  // Another file in its place, a virtual environment around it, or a damaged note: it is asked again.
  install("2.7");
  EXPECT_THAT(error_of([&] {
                choose_python({python, "", linked_.executable});
              }).message(),
              HasSubstr("it is Python 2.7"));
  install(linked_.version);
  choose_python({python, "", linked_.executable});
  const auto before = asked();
  std::ofstream(folder_.path() / "pyvenv.cfg") << "home = /elsewhere\n";
  choose_python({python, "", linked_.executable});
  EXPECT_EQ(asked(), before + 1);
  for (const auto& note : fs::directory_iterator(folder_.path() / "cache" / "pythons"))
    fs::resize_file(note.path(), fs::file_size(note.path()) - 3);
  choose_python({python, "", linked_.executable});
  EXPECT_EQ(asked(), before + 2);
}

TEST_F(PythonChoiceTest, WithoutAnyTheRemedyIsNamed) {
  const Error error = error_of([] { choose_python({"", "", "/nonexistent/python"}); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.hint(), HasSubstr("set WARPMARK_PYTHON to a Python " + linked_.version));
}

}  // namespace
}  // namespace warpmark
