#include "cli/completion/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> completed(const std::string& line) {
  CommandLine program("", "warpmark");
  std::vector<std::string> paths, words;
  std::string device;
  bool flag = false;
  const ArgumentParser check = program.add_subcommand("check", "");
  check.add_option("PATHS", paths);
  check.add_option("-k,--select", words);
  check.add_option("--device", device);
  check.add_flag("-x,--exitfirst", flag);
  const ArgumentParser cache = program.add_subcommand("cache", "");
  cache.add_subcommand("clear", "");
  program.add_subcommand("worker", "").hide();
  const CompletionSources sources{[](const std::string& argument, const CursorLine&) {
    if (argument == "PATHS") return std::vector<std::string>{"suites/", "x y.yaml"};
    if (argument == "--device") return std::vector<std::string>{"cpu", "cpu:0", "gpu"};
    return std::vector<std::string>{argument};
  }};
  return complete(program, split_line(line), sources);
}

TEST(Completion, Subcommands) {
  EXPECT_THAT(completed("warpmark "), ElementsAre("cache", "check"));
  EXPECT_THAT(completed("warpmark che"), ElementsAre("check"));
  EXPECT_THAT(completed("warpmark w"), IsEmpty());
  EXPECT_THAT(completed("warpmark cache "), ElementsAre("clear"));
  EXPECT_THAT(completed("warpm"), IsEmpty());
  EXPECT_THAT(completed(""), IsEmpty());
}

TEST(Completion, Options) {
  EXPECT_THAT(completed("warpmark check --"),
              ElementsAre("--device", "--exitfirst", "--help", "--select"));
  EXPECT_THAT(completed("warpmark check suites --de"), ElementsAre("--device"));
  EXPECT_THAT(completed("warpmark check -x -"), ::testing::Contains("-k"));
}

TEST(Completion, Values) {
  EXPECT_THAT(completed("warpmark check s"), ElementsAre("suites/"));
  EXPECT_THAT(completed("warpmark check x\\ "), ElementsAre("x y.yaml"));
  EXPECT_THAT(completed("warpmark check \"x y"), ElementsAre("x y.yaml"));
  EXPECT_THAT(completed("warpmark check --device c"), ElementsAre("cpu", "cpu:0"));
  EXPECT_THAT(completed("warpmark check --device=g"), ElementsAre("--device=gpu"));
  EXPECT_THAT(completed("warpmark check -k "), ElementsAre("--select"));
  // A flag takes no value.
  EXPECT_THAT(completed("warpmark check -x s"), ElementsAre("suites/"));
}

TEST(Completion, LinesAreCutAsShellsDo) {
  const CursorLine line = split_line(" a 'b c'\\ d \"e\\\"f\" ''  'g");
  EXPECT_THAT(line.words, ElementsAre("a", "b c d", "e\"f", ""));
  EXPECT_EQ(line.current, "g");
  EXPECT_EQ(split_line("a\\").current, "a\\");
}

}  // namespace
}  // namespace warpmark
