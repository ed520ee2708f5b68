#include "cli/program/argument_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace warpmark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Program {
  CommandLine line{"Tries things.", "tool", "tool 1.2"};
  ArgumentParser copy = line.add_subcommand("copy", "Copy files");
  ArgumentParser hidden = line.add_subcommand("helper", "Not for people").hide();
  std::vector<std::string> files, words;
  std::optional<double> factor;
  int jobs = 1;
  bool force = false;

  Program() {
    copy.add_option("FILES", files, "What to copy").required().value_name("");
    copy.add_option("-w,--word", words, "A word").value_name("W").one_value_each_time();
    copy.add_option("--jobs", jobs, "How many").in_range(1, 8);
    const CommandOption by = copy.add_option("--factor", factor, "How much");
    copy.add_flag("-f,--force", force, "Even so").excludes(by);
  }

  std::string mistake(const std::vector<std::string>& arguments) {
    try {
      line.parse(arguments);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
};

TEST(ArgumentParser, ReadsValuesInTheirOrder) {
  Program program;
  EXPECT_EQ(program.line.parse({"copy", "-w", "x", "a", "--word=y", "b", "--factor", "0.5"}),
            CommandLine::Request::command);
  EXPECT_TRUE(program.copy.parsed());
  EXPECT_FALSE(program.hidden.parsed());
  EXPECT_THAT(program.files, ElementsAre("a", "b"));
  EXPECT_THAT(program.words, ElementsAre("x", "y"));
  EXPECT_EQ(program.factor, 0.5);
  EXPECT_EQ(program.jobs, 1);
  EXPECT_EQ(program.copy.option("--factor").count(), 1U);
  EXPECT_EQ(program.copy.option("--jobs").count(), 0U);
}

TEST(ArgumentParser, SaysWhatToCorrect) {
  EXPECT_THAT(Program().mistake({"cpy"}), HasSubstr("did you mean `copy`?"));
  EXPECT_THAT(Program().mistake({"helpr"}), HasSubstr("commands: copy"));
  EXPECT_THAT(Program().mistake({"copy", "a", "--jbs", "2"}),
              HasSubstr("unknown option `--jbs` of `tool copy`\n  hint: did you mean `--jobs`?"));
  EXPECT_THAT(Program().mistake({"copy", "a", "--jobs", "9"}), HasSubstr("not in range"));
  EXPECT_THAT(Program().mistake({"copy", "a", "-f", "--factor", "2"}), HasSubstr("excludes"));
  EXPECT_THAT(Program().mistake({"copy"}),
              HasSubstr("FILES is required\n  hint: see `tool copy --help`"));
  EXPECT_EQ(Program().mistake({}), "none");
}

TEST(ArgumentParser, AsksForHelpOfTheCommand) {
  Program program;
  EXPECT_EQ(program.line.parse({"copy", "--help"}), CommandLine::Request::help);
  EXPECT_THAT(program.line.help(), HasSubstr("tool copy [OPTIONS] FILES"));
  EXPECT_EQ(program.line.parse({"--version"}), CommandLine::Request::version);
  EXPECT_EQ(program.line.parse({"-h"}), CommandLine::Request::help);
  EXPECT_THAT(program.line.help(), ::testing::Not(HasSubstr("helper")));
}

TEST(ArgumentParser, NamesItsParts) {
  Program program;
  EXPECT_THAT(program.line.subcommand_names(), ElementsAre("copy"));
  EXPECT_EQ(program.copy.full_name(), "tool copy");
  std::vector<std::string> names, positions;
  for (const CommandOption& option : program.copy.options()) {
    for (const std::string& name : option.names()) names.push_back(name);
    if (!option.position_name().empty()) positions.push_back(option.position_name());
  }
  EXPECT_THAT(names,
              ElementsAre("-h", "--help", "-w", "--word", "--jobs", "--factor", "-f", "--force"));
  EXPECT_THAT(positions, ElementsAre("FILES"));
  EXPECT_TRUE(program.copy.option("--jobs").takes_value());
  EXPECT_FALSE(program.copy.option("--force").takes_value());
}

}  // namespace
}  // namespace warpmark
