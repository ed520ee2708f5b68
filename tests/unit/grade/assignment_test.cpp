// Assignments that load; tests/unit/grade/files has those that do not.
#include "grade/assignment/assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/grade/assignment_text.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_assignments::AssignmentFolder;
using testing_assignments::good;
using testing_assignments::suite;

std::vector<std::string> ids(const AssignmentCase& one) {
  std::vector<std::string> all;
  for (const Case& item : one.items) all.push_back(item.id);
  return all;
}

class AssignmentTest : public testing::Test {
 protected:
  /// The error for the good assignment with further lines.
  std::string error_with(const std::string& lines) { return folder.error_of(good() + lines); }
  std::string hash() { return load_assignment(folder.path() / "assignment.yaml")->sha256; }

  AssignmentFolder folder;
};

TEST_F(AssignmentTest, LeavesOutWhatHasADefault) {
  const auto loaded = folder.parse(good());
  EXPECT_EQ(loaded->id, "double-it");
  EXPECT_EQ(loaded->title, "double-it");
  EXPECT_EQ(loaded->file, folder.path() / "assignment.yaml");
  EXPECT_EQ(loaded->folder, folder.path());
  ASSERT_EQ(loaded->suites.size(), 1U);
  EXPECT_EQ(loaded->suites[0]->name, "scale");
  EXPECT_EQ(loaded->submission.file, "scale.cu");
  EXPECT_EQ(loaded->submission.max_bytes, 65536U);
  EXPECT_EQ(loaded->submission.toolkit_headers, default_toolkit_headers());
  EXPECT_THAT(default_toolkit_headers(), testing::Contains("cooperative_groups/reduce.h"));
  EXPECT_EQ(loaded->trials.count, 3U);
  EXPECT_EQ(loaded->limits.compile_mib, 512U);
  EXPECT_EQ(loaded->limits.instructions, 2'000'000'000U);
  EXPECT_TRUE(loaded->ptx.forbid.empty() && loaded->ptx.flag.empty());
  EXPECT_EQ(loaded->max_points(), 25);
  ASSERT_EQ(loaded->cases.size(), 2U);
  EXPECT_EQ(loaded->cases[0].visibility, Visibility::visible);
  EXPECT_EQ(loaded->cases[0].credit, Credit::all);
  EXPECT_THAT(ids(loaded->cases[0]), ElementsAre("scale.n=1", "scale.n=7"));
  EXPECT_THAT(ids(loaded->cases[1]), ElementsAre("scale.n=4097", "scale.n=1048576"));
  // The items' suite has the case's axes, and is otherwise the one that was loaded.
  EXPECT_EQ(loaded->cases[1].items[0].suite->file, loaded->suites[0]->file);
}

TEST_F(AssignmentTest, ReadsEveryKey) {
  const auto loaded = folder.parse(
      "warpmark: 1\n"
      "assignment: double_it-2\n"
      "title: Double every element\n"
      "about: The first kernel of the course.\n"
      "suite: scale.yaml\n"
      "points: 100\n"
      "submission: {file: mine.cu, max_kib: 2, headers: [course.h], toolkit_headers: [mma.h],\n"
      "             accept: [ptx, host_code]}\n"
      "trials: 5\n"
      "cases:\n"
      "  - {name: of the suite, points: 30.5, where: not n=16}\n"
      "  - {name: another, points: 69.5, suite: other.yaml, visibility: hidden, credit: each,\n"
      "     hint: think of odd sizes}\n"
      "ptx: {forbid: [vprintf, \"%clock64\", writable_globals, entries], flag: [ld.global.nc]}\n"
      "limits: {instructions: 2e9, timeout_s: 1.5, compile_cpu_s: 3, compile_s: 4,\n"
      "         compile_mib: 256, memory_mib: 2**9}\n"
      "self_test:\n"
      "  must_pass: [solutions/good.cu]\n"
      "  must_fail:\n"
      "    - wrong/bad.cu\n"
      "    - {file: wrong/bad.cu, case: another, word: memory error}\n");
  EXPECT_EQ(loaded->title, "Double every element");
  EXPECT_EQ(loaded->about, "The first kernel of the course.");
  EXPECT_EQ(loaded->submission.file, "mine.cu");
  EXPECT_EQ(loaded->submission.max_bytes, 2048U);
  EXPECT_THAT(loaded->submission.headers, ElementsAre(folder.path() / "course.h"));
  EXPECT_THAT(loaded->submission.toolkit_headers, ElementsAre("mma.h"));
  EXPECT_TRUE(loaded->submission.accepts_ptx && loaded->submission.accepts_host_code);
  EXPECT_EQ(loaded->trials.count, 5U);
  EXPECT_EQ(loaded->max_points(), 100);
  EXPECT_THAT(ids(loaded->cases[0]), ElementsAre("scale.n=400"));
  EXPECT_THAT(ids(loaded->cases[1]), ElementsAre("other.n=3", "other.n=5"));
  EXPECT_EQ(loaded->cases[1].visibility, Visibility::hidden);
  EXPECT_EQ(loaded->cases[1].credit, Credit::each);
  EXPECT_EQ(loaded->cases[1].hint, "think of odd sizes");
  ASSERT_EQ(loaded->suites.size(), 2U);
  ASSERT_EQ(loaded->ptx.forbid.size(), 4U);
  EXPECT_EQ(loaded->ptx.forbid[1].text, "%clock64");
  EXPECT_EQ(loaded->ptx.forbid[1].where.line, 14);
  EXPECT_EQ(loaded->ptx.flag[0].text, "ld.global.nc");
  EXPECT_EQ(loaded->limits.timeout_s, 1.5);
  EXPECT_EQ(loaded->limits.compile_cpu_s, 3);
  EXPECT_EQ(loaded->limits.compile_s, 4);
  EXPECT_EQ(loaded->limits.compile_mib, 256U);
  EXPECT_EQ(loaded->limits.memory_mib, 512U);
  ASSERT_EQ(loaded->self_tests.size(), 3U);
  EXPECT_TRUE(loaded->self_tests[0].must_pass);
  EXPECT_EQ(loaded->self_tests[0].file, folder.path() / "solutions/good.cu");
  EXPECT_EQ(loaded->self_tests[1].case_name, "");
  EXPECT_TRUE(loaded->self_tests[1].words.empty());
  EXPECT_FALSE(loaded->self_tests[2].must_pass);
  EXPECT_EQ(loaded->self_tests[2].case_name, "another");
  EXPECT_EQ(loaded->self_tests[2].words, std::vector{GradeWord::memory_error});
}

TEST_F(AssignmentTest, TheSumOfThePointsMustBeAsSaid) {
  EXPECT_EQ(folder.parse("points: 25\n" + good())->max_points(), 25);
  EXPECT_EQ(error_with("points: 100\n"),
            "9:9 the points of the cases add up to 25, and `points` is 100 | change one of them, "
            "or leave `points` out");
  // Tenths add up, although their floats do not.
  folder.write("scale.yaml", suite("[1, 2, 3]"));
  EXPECT_EQ(folder
                .parse("warpmark: 1\nassignment: a\nsuite: scale.yaml\npoints: 0.3\ncases:\n"
                       "  - {name: a, points: 0.1, where: n=1}\n"
                       "  - {name: b, points: 0.1, where: n=2}\n"
                       "  - {name: c, points: 0.1, where: n=3}\n")
                ->cases.size(),
            3U);
}

TEST_F(AssignmentTest, WhereAndAxesNameWhatIsMissing) {
  EXPECT_EQ(error_with("  - {name: c, points: 1, where: n=40 and mass}\n"),
            "9:33 `where` selects no case of the suite | no case id has `mass`");
  EXPECT_EQ(error_with("  - {name: c, points: 1, where: n=400 or}\n"),
            "9:41 `where`: a word is missing at the end | words of ids, `and`, `or`, `not`, "
            "parentheses; `*` is any text");
  EXPECT_EQ(error_with("  - {name: c, points: 1, axes: {m: [1]}}\n"),
            "9:33 the suite `scale` has no axis `m` | did you mean `n`?");
}

TEST_F(AssignmentTest, GivesPointsForACaseOnce) {
  EXPECT_EQ(error_with("  - {name: again, points: 1, axes: {n: [9, 7]}}\n"),
            "9:5 `scale.n=7` is already in the case `small` | give each case different values, "
            "with `axes` or `where`");
  EXPECT_EQ(error_with("  - {name: small, points: 1, axes: {n: [9]}}\n"),
            "9:5 two cases are called `small` | the first is on line 5");
}

TEST_F(AssignmentTest, ASkippedCaseIsNotGraded) {
  folder.write("scale.yaml", suite("[16]", "skip: {when: n > 100, reason: it takes too long}\n"));
  EXPECT_EQ(folder.error_of(good()),
            "6:5 the suite skips `scale.n=4097`: it takes too long | choose cases that run, with "
            "`axes` or `where`");
}

TEST_F(AssignmentTest, SuitesThatCannotBeGradedSayWhy) {
  const auto error_for = [&](const std::string& text) {
    folder.write("scale.yaml", text);
    return folder.error_of(good());
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = suite();
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(error_for(replaced("file: scale.cu", "source: void scale();")),
              HasSubstr("scale.yaml` cannot be graded: its kernel is a text in the suite | put"));
  EXPECT_THAT(error_for(replaced("entry: scale", "entry: scale, link: [scale.cu]")),
              HasSubstr("its kernel is linked with further files"));
  EXPECT_THAT(error_for(suite() + "expect: {report: barrier}\n"),
              HasSubstr("it expects a fault, a report or a compile error"));
  EXPECT_THAT(error_for(replaced("kernel:", "plugin: elementwise\nkernel:")),
              HasSubstr("its kernel is made by the plugin `elementwise`"));
  EXPECT_THAT(error_for(replaced("{file: scale.cu, entry: scale}", "{file: scale.cu}")),
              HasSubstr("its kernel has no `entry`"));
  EXPECT_THAT(error_for(suite() + "expect: {report: barrier}\n"),
              HasSubstr("it expects a fault, a report or a compile error"));
  EXPECT_THAT(error_for(replaced("kernel:", "plugin: elementwise\nkernel:")),
              HasSubstr("its kernel is made by the plugin `elementwise`"));
  EXPECT_THAT(error_for(replaced("{file: scale.cu, entry: scale}", "{file: scale.cu}")),
              HasSubstr("its kernel has no `entry`"));
  for (const char* option : {"-I/etc", "--include-path=.", "--pre-include=/etc/passwd", "-dlto",
                             "x.cu", "--time=/tmp/t", "-D", "--std", "-Wall", "--pch", "-Ddir"}) {
    const std::string text =
        replaced("entry: scale", "entry: scale, options: ['" + std::string(option) + "']");
    const std::string wanted = "its kernel has the option `" + std::string(option) + "`";
    if (option == std::string("-Ddir")) {  // a macro
      EXPECT_THAT(error_for(text), testing::Not(HasSubstr("option")));
    } else {
      EXPECT_THAT(error_for(text), HasSubstr(wanted));
    }
  }
  // A mistake of the suite is reported at its own place.
  EXPECT_THAT(error_for("warpmark: 1\nkernal: {}\n"),
              testing::AllOf(StartsWith("2:1 "), HasSubstr("unknown key of a suite `kernal`")));
}

TEST_F(AssignmentTest, OptionsOfTheCompilerAreOfAList) {
  const auto error_for = [&](const std::string& option) {
    std::string text = suite();
    const std::string from = "entry: scale";
    text.replace(text.find(from), from.size(), from + ", options: ['" + option + "']");
    folder.write("scale.yaml", text);
    return folder.error_of(good());
  };
  for (const char* option :
       {"-I/etc", "--include-path=.", "--pre-include=/etc/passwd", "-dlto", "x.cu", "--time=/tmp/t",
        "-D", "--std", "-Wall", "--pch", "--ptxas-options=-v", "-default-stream"}) {
    EXPECT_THAT(error_for(option),
                HasSubstr(std::string("its kernel has the option `") + option + "` | submissions"));
  }
  for (const char* option : {"-DT=float", "--define-macro=T", "-use_fast_math", "--fmad=false",
                             "--std=c++20", "-w", "--diag-suppress=177"}) {
    EXPECT_EQ(error_for(option), "no error");
  }
}

TEST_F(AssignmentTest, AllSuitesLaunchOneKernelAndHaveNamesOfTheirOwn) {
  std::string text = suite();
  folder.write("other.yaml", text.replace(text.find("entry: scale"), 12, "entry: other"));
  EXPECT_THAT(error_with("  - {name: c, points: 1, suite: other.yaml}\n"),
              StartsWith("9:33 the kernel of `other` is `other`, and that of `scale` is `scale`"));
  folder.write("b/scale.yaml", suite());
  folder.write("b/scale.cu", testing_assignments::kernel());
  EXPECT_THAT(error_with("  - {name: c, points: 1, suite: b/scale.yaml}\n"),
              StartsWith("9:33 two suites are called `scale`: "));
}

TEST_F(AssignmentTest, SeveralKernelsAreInOneFileOrInSeveral) {
  std::string text = suite();
  folder.write("other.yaml", text.replace(text.find("entry: scale"), 12, "entry: other"));
  const auto load = [&](const std::string& suites) {
    return parse_assignment(
        "warpmark: 1\nassignment: a\n" + suites +
            "cases:\n  - {name: a, points: 1, suite: other.yaml, axes: {n: [3]}}\n"
            "  - {name: b, points: 1, suite: scale.yaml}\n",
        folder.path() / "assignment.yaml");
  };
  const auto two = load(
      "suites: [{suite: scale.yaml, file: b.cu}, {suite: other.yaml, file: a.cu, "
      "template: wrong/bad.cu}]\n");
  EXPECT_TRUE(two->submission.several());
  EXPECT_THAT(two->submission.files(), ElementsAre("b.cu", "a.cu"));
  EXPECT_EQ(two->file_of(*two->cases[0].items[0].suite), "a.cu");
  EXPECT_EQ(two->file_of(*two->cases[1].items[0].suite), "b.cu");
  EXPECT_EQ(two->templates.at("a.cu").text, "wrong/bad.cu");
  const auto one = load("submission: {file: all.cu}\nsuites: [scale.yaml, other.yaml]\n");
  EXPECT_FALSE(one->submission.several());
  EXPECT_EQ(one->submission.file, "all.cu");
  EXPECT_EQ(one->file_of(*one->suites[1]), "all.cu");
  // Without a name it is that of the suites' own kernel.
  EXPECT_EQ(load("suites: [scale.yaml, other.yaml]\n")->submission.file, "scale.cu");
  // Which file a kernel is in decides verdicts.
  const auto swapped =
      load("suites: [{suite: scale.yaml, file: a.cu}, {suite: other.yaml, file: b.cu}]\n");
  EXPECT_NE(swapped->verdict_sha256, two->verdict_sha256);
}

TEST_F(AssignmentTest, WhatIsAsItAlwaysWasIsNoOtherAssignment) {
  const auto verdicts = [&](const std::string& more) {
    return parse_assignment(good() + more, folder.path() / "assignment.yaml")->verdict_sha256;
  };
  EXPECT_EQ(verdicts("submission: {own_headers: 16}\n"), verdicts(""));
  EXPECT_NE(verdicts("submission: {own_headers: 0}\n"), verdicts(""));
}

TEST_F(AssignmentTest, ComputedAxesNeedPython) {
  folder.write("scale.yaml", suite("{python: \"[2, 3]\"}"));
  const std::string text =
      "warpmark: 1\nassignment: a\nsuite: scale.yaml\ncases: [{name: a, points: 1}]\n";
  EXPECT_THAT(folder.error_of(text), HasSubstr("needs Python"));
  const auto loaded = parse_assignment(text, folder.path() / "assignment.yaml", [](const Located&) {
    return std::vector<ArithmeticValue>{int64_t{2}, int64_t{3}};
  });
  EXPECT_THAT(ids(loaded->cases[0]), ElementsAre("scale.n=2", "scale.n=3"));
}

TEST_F(AssignmentTest, TheHashIsOfAllThatVerdictsDependOn) {
  folder.write("values.py", "def values(n): return n\n");
  std::string text = suite();
  folder.write("scale.yaml", text.replace(text.find("rng.standard_normal(n)"), 22,
                                          "{function: \"values.py:values\"}"));
  const std::string whole =
      good() + "  - {name: c, points: 1, suite: other.yaml}\nsubmission: {headers: [course.h]}\n";
  folder.write("assignment.yaml", whole);
  const std::string before = hash();
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(hash(), before);
  for (const char* file :
       {"assignment.yaml", "scale.yaml", "other.yaml", "scale.cu", "course.h", "values.py"}) {
    const std::string bytes = read_file(folder.path() / file);
    folder.write(file, bytes + "\n");
    EXPECT_NE(hash(), before) << file;
    folder.write(file, bytes);
    EXPECT_EQ(hash(), before) << file;
  }
  // Solutions decide no verdict, and the folder may lie anywhere.
  folder.write("solutions/good.cu", "other");
  EXPECT_EQ(hash(), before);
  const TemporaryFolder elsewhere;
  std::filesystem::copy(folder.path(), elsewhere.path() / "b",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(load_assignment(elsewhere.path() / "b" / "assignment.yaml")->sha256, before);
}

}  // namespace
}  // namespace warpmark
