// Suites that load, the names of their cases, and which files are suites.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.hpp"
#include "suite_text.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing_suites::changed;
using testing_suites::parse;

TEST(Suite, EveryKeyIsRead) {
  const auto suite = parse(R"yaml(warpmark: 1
about: All keys.
plugin: other
kernel:
  source: |
    // first line
    void f();
  entry: f
  define: {T: ctype(dtype), N: n}
  options: [--fmad=false]
  parameters: float *x
  stages: [map, {reduce: a + b}]
axes:
  dtype: [float32, {value: float64, label: double}]
  n: {python: "[2**k for k in range(3)]"}
arguments:
  x: {inout: "rng.random((n, 2))", dtype: dtype}
  n: {scalar: n, dtype: uint32}
  y: {out: [n, x.size]}
launch: {grid: [n, 2], block: 64, shared: 4 * 64}
reference: {x: x, y: "np.outer(x, x)"}
tolerance: {rtol: 1e-6, atol: np.finfo(np.float32).tiny, nan: forbid}
bench:
  axes: {n: [2**20]}
  bytes: x.nbytes
  flops: 1.5 * n
  peak_flops_per_s: 1e12 * device.multiprocessors
  restore: each
  cache: hot
  graph: true
  transfers: false
  budget_s: 0.5 * n
expect: pass
requires: [exact_bounds, reports]
skip:
  - {when: n > 2, reason: too large}
  - {when: device.warp_size != 32, reason: other warps}
lint:
  - {allow: [nan, stale], reason: by design}
  - {allow: [copy], when: n == 1, reason: one element}
)yaml");
  EXPECT_EQ(suite->name, "example");
  EXPECT_EQ(suite->about, "All keys.");
  EXPECT_EQ(suite->plugin.text, "other");
  EXPECT_EQ(suite->kernel.source->text, "// first line\nvoid f();\n");
  EXPECT_EQ(suite->kernel.source->where.line, 6);
  EXPECT_EQ(suite->kernel.source->where.column, 5);
  ASSERT_EQ(suite->kernel.define.size(), 2U);
  EXPECT_EQ(suite->kernel.define[0].name, "T");
  ASSERT_EQ(suite->kernel.other.size(), 2U);
  EXPECT_EQ(suite->kernel.other[0].value.text, "float *x");
  ASSERT_EQ(suite->axes.size(), 2U);
  EXPECT_EQ(suite->axes[0].values[1].label, "double");
  EXPECT_EQ(suite->axes[1].python->text, "[2**k for k in range(3)]");
  EXPECT_EQ(suite->axes[1].python->where.column, 16);
  ASSERT_EQ(suite->arguments.size(), 3U);
  EXPECT_EQ(suite->arguments[0].kind, ArgumentKind::inout);
  EXPECT_EQ(suite->arguments[1].kind, ArgumentKind::scalar);
  EXPECT_EQ(suite->arguments[2].shape.size(), 2U);
  EXPECT_EQ(suite->launch->single->grid.size(), 2U);
  EXPECT_EQ(suite->tolerance.kind, ToleranceKind::close);
  EXPECT_EQ(suite->tolerance.nan, NanPolicy::forbid);
  EXPECT_EQ(suite->bench.restore, Restore::each);
  EXPECT_EQ(suite->bench.axes.size(), 1U);
  EXPECT_EQ(suite->bench.cache, CacheChoice::hot);
  EXPECT_EQ(suite->bench.graph, true);
  EXPECT_EQ(suite->bench.transfers, false);
  EXPECT_EQ(suite->bench.budget_s->text(), "0.5 * n");
  EXPECT_EQ(suite->bench.peak_flops_per_s->text(), "1e12 * device.multiprocessors");
  EXPECT_FALSE(suite->fault);
  EXPECT_EQ(suite->requirements[1].text, "reports");
  EXPECT_EQ(suite->skip[1].reason.text, "other warps");
  ASSERT_EQ(suite->lint.size(), 2U);
  ASSERT_EQ(suite->lint[0].allow.size(), 2U);
  EXPECT_EQ(suite->lint[0].allow[1].answer, TrivialAnswer::stale);
  EXPECT_EQ(suite->lint[0].allow[1].where.line, 39);
  EXPECT_FALSE(suite->lint[0].when);
  EXPECT_EQ(suite->lint[1].reason, "one element");
  EXPECT_EQ(suite->lint[1].when->text(), "n == 1");
}

TEST(Suite, WhatIsLeftOutHasItsDefault) {
  const auto suite = parse("warpmark: 1\nkernel: {operation: x}\n");
  EXPECT_EQ(suite->plugin.text, "source");
  EXPECT_EQ(suite->tolerance.kind, ToleranceKind::exact);
  EXPECT_EQ(suite->tolerance.nan, NanPolicy::equal);
  EXPECT_EQ(suite->bench.restore, Restore::never);
  EXPECT_FALSE(suite->bench.cache);
  EXPECT_FALSE(suite->bench.graph);
  EXPECT_FALSE(suite->bench.budget_s);
  EXPECT_FALSE(suite->launch);
  EXPECT_TRUE(suite->axes.empty());
}

TEST(Suite, AnExpectedFaultIsRead) {
  const auto suite =
      parse(changed("reference:\n  z: 2 * a\n", "expect: {fault: illegal_address, argument: z}\n"));
  ASSERT_TRUE(suite->fault);
  EXPECT_EQ(suite->fault->kind.text, "illegal_address");
  EXPECT_EQ(suite->fault->argument->text, "z");
}

TEST(Suite, WindowsLineEndsChangeNothing) {
  std::string text;
  for (const char c : testing_suites::good()) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(testing_suites::error_of(text), "no error");
}

TEST(SuiteName, IsThePathBelowTheSuitesFolder) {
  EXPECT_EQ(suite_name("/a/suites/doublify/double_array_new.yaml"), "doublify/double_array_new");
  EXPECT_EQ(suite_name("/a/suites/doublify/suite.yaml"), "doublify");
  EXPECT_EQ(suite_name("/a/suites/b/suites/c/d.yaml"), "c/d");
  EXPECT_EQ(suite_name("/a/suites/suite.yaml"), "suites");
  EXPECT_EQ(suite_name("/a/suites/x/../y.yaml"), "y");
}

TEST(SuiteName, OutsideOneItIsTheFilesOwn) {
  EXPECT_EQ(suite_name("/a/b/c.yaml"), "c");
  EXPECT_EQ(suite_name("/a/b/suite.yaml"), "b");
}

TEST(SuiteName, AMinusIsATildeAndTheRestIsRefused) {
  EXPECT_EQ(suite_name("/suites/my-suite.yaml"), "my~suite");
  for (const char* file : {"/suites/a b.yaml", "/suites/a.b.yaml", "/suites/a=b.yaml",
                           "/suites/a,b.yaml", "/suites/a:b.yaml", "/suites/\xC3\xA9.yaml"}) {
    EXPECT_THROW(suite_name(file), Error) << file;
  }
}

class FindSuites : public testing::Test {
 protected:
  void touch(const std::string& name) {
    const std::filesystem::path file = root() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  std::filesystem::path root() const { return folder_.path() / "suites"; }
  std::vector<std::string> found(const std::vector<std::filesystem::path>& paths) const {
    std::vector<std::string> names;
    for (const auto& file : find_suites(paths)) {
      names.push_back(file.lexically_relative(root()).generic_string());
    }
    return names;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(FindSuites, TakesFilesAndFoldersOnceAndSorted) {
  for (const char* name : {"b/suite.yaml", "b/x.yaml", "a.yaml", "b/k.cu", "b/.hidden.yaml",
                           ".git/c.yaml", "d/e/f.yaml"}) {
    touch(name);
  }
  EXPECT_THAT(found({root()}), ElementsAre("a.yaml", "b/suite.yaml", "b/x.yaml", "d/e/f.yaml"));
  EXPECT_THAT(found({root() / "b/x.yaml", root() / "b/"}), ElementsAre("b/suite.yaml", "b/x.yaml"));
}

TEST_F(FindSuites, RefusesWhatIsNotThere) {
  touch("b/k.cu");
  EXPECT_THROW(find_suites({root() / "none"}), Error);
  EXPECT_THROW(find_suites({root() / "b"}), Error);
}

TEST_F(FindSuites, RefusesTwoFilesOfOneName) {
  touch("b/suite.yaml");
  touch("b.yaml");
  try {
    find_suites({root()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), testing::HasSubstr("two files make the suite `b`"));
  }
}

// Flow style ends a value at its comma; a parenthesis that is open then says what was meant.
TEST(Suite, ACommaBetweenParenthesesIsPartOfItsValue) {
  const auto suite = testing_suites::parse(testing_suites::changed(
      "launch:\n  block: 128\n",
      "launch: {grid: [ceil_div(n, 128), max(1, min(2,3))], block: min(n, 32, 64), shared: 4}\n"));
  const LaunchGeometry& launch = *suite->launch->single;
  ASSERT_EQ(launch.grid.size(), 2U);
  EXPECT_EQ(launch.grid[0].text(), "ceil_div(n, 128)");
  EXPECT_EQ(launch.grid[1].text(), "max(1, min(2,3))");
  EXPECT_EQ(launch.block.at(0).text(), "min(n, 32, 64)");
  EXPECT_EQ(launch.shared->text(), "4");
  EXPECT_EQ(launch.grid[0].names().at(0).where.column, 26);
}

}  // namespace
}  // namespace warpmark
