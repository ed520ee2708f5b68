#include "cli/request/job_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/request/run_config.hpp"

namespace warpmark {
namespace {

JobRequest parsed(const std::vector<std::string>& words, JobRequest request = {}) {
  CommandLine app("", "");
  JobArguments arguments;
  arguments.add_to(app, request.kind);
  app.parse(words);
  arguments.apply(request);
  return request;
}

JobRequest configured(const std::string& lines, const std::string& section = "check") {
  return parse_run_config("warpmark: 1\n" + section + ":\n  suites: [.]\n" + lines, "/tmp/run.yaml")
      .jobs.front()
      .request;
}

std::string mistake(const std::vector<std::string>& words, JobRequest request = {}) {
  try {
    parsed(words, std::move(request));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(JobOptions, NamesAndKeysAreUnique) {
  std::set<std::string> names, keys;
  for (const JobOption& option : job_options()) {
    EXPECT_TRUE(!option.is_key() || keys.insert(option.key).second) << option.key;
    if (option.flags[0] == '\0') continue;
    for (const std::string& name : split(option.flags, ',')) {
      EXPECT_TRUE(names.insert(name).second) << name;
    }
  }
}

TEST(JobOptions, TheSchemaIsThatOfTheTable) {
  const std::filesystem::path file = WARPMARK_SOURCE_DIR "/schema/run.json";
  const std::string text = json_wrapped(run_config_schema()) + "\n";
  if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(file, text);
  EXPECT_EQ(read_file(file), text) << "WARPMARK_UPDATE_GOLDEN=1 of this test writes the table's";
}

/// The help of a command with the options of one kind of job, or of all, on one line.
std::string help_of(std::optional<JobKind> kind) {
  CommandLine app("", "");
  JobArguments arguments;
  if (kind) {
    arguments.add_to(app, *kind);
  } else {
    arguments.add_to(app);
  }
  std::istringstream words(app.help());
  std::string help, word;
  while (words >> word) help += word + " ";  // however it is wrapped
  return help;
}

TEST(JobOptions, HelpHasEachOptionWithItsWords) {
  const std::string all = help_of(std::nullopt);
  for (const JobOption& option : job_options()) {
    if (option.flags[0] == '\0') continue;
    for (const JobKind kind : {JobKind::check, JobKind::bench}) {
      if (!option.is_for(kind)) continue;
      EXPECT_NE(help_of(kind).find(option.flags), std::string::npos) << option.flags;
      EXPECT_NE(help_of(kind).find(option.help), std::string::npos) << option.help;
    }
    EXPECT_EQ(all.find(option.help) == std::string::npos, option.seldom || !option.is_key())
        << option.help;
  }
}

// Each option says the same on the command line as its key in a file.
TEST(JobOptions, LineAndFileMeanTheSame) {
  const auto same = [](const std::vector<std::string>& words, const std::string& lines,
                       const auto& member) {
    EXPECT_EQ(member(parsed(words)), member(configured(lines))) << lines;
    EXPECT_NE(member(parsed(words)), member(JobRequest{})) << lines;
  };
  using R = JobRequest;
  same({"--case", "a.b", "--case=c.d"}, "  cases: [a.b, c.d]\n",
       [](const R& r) { return r.choice.ids; });
  same({"-k", "a or not B"}, "  select: a or not B\n",
       [](const R& r) { return r.choice.select.words(); });
  same({"-a", "n=2**3,'x y' as q", "-a", "m=word"},
       "  axes: {n: [2**3, {value: \"'x y'\", label: q}], m: [word]}\n", [](const R& r) {
         std::string text;
         for (const Axis& axis : r.choice.axes) {
           text += axis.name;
           for (const AxisValue& value : axis.values) text += to_text(value.value) + value.label;
         }
         return text;
       });
  same({"--lf"}, "  last_failed: true\n", [](const R& r) { return r.last_failed; });
  same({"-x"}, "  exitfirst: true\n", [](const R& r) { return r.max_failures; });
  same({"--maxfail", "3"}, "  maxfail: 3\n", [](const R& r) { return r.max_failures; });
  same({"--device", "cpu:1"}, "  device: cpu:1\n", [](const R& r) { return r.session.device; });
  same({"--device", "cpu"}, "  device: cpu\n", [](const R& r) { return r.device_given; });
  same({"--seed", "18446744073709551615"}, "  seed: 18446744073709551615\n",
       [](const R& r) { return r.session.seed; });
  same({"--seed", "0"}, "  seed: 0\n", [](const R& r) { return r.seed_given; });
  same({"--checks", "race,init"}, "  checks: race,init\n",
       [](const R& r) { return r.session.checks; });
  for (const char* lines : {"  checks: [race, init]\n", "  checks: race, init\n",
                            "  checks:\n    - race\n    - init\n"}) {
    same({"--checks", "race,init"}, lines, [](const R& r) { return r.session.checks; });
  }
  same({"--checks", "all"}, "  checks: all\n", [](const R& r) { return r.session.checks; });
  same({"--checks", "race"}, "  checks: race\n", [](const R& r) { return r.checks_given; });
  same({"--sanitize"}, "  sanitize: memcheck\n", [](const R& r) { return r.sanitize; });
  same({"--sanitize=racecheck"}, "  sanitize: racecheck\n", [](const R& r) { return r.sanitize; });
  same({"--counters"}, "  counters: true\n", [](const R& r) { return r.session.counters; });
  same({"--trials", "4"}, "  trials: 4\n", [](const R& r) { return r.trials; });
  same({"--trial", "4"}, "  trial: 4\n", [](const R& r) { return r.first_trial; });
  same({"--timeout-s", "1.5"}, "  timeout_s: 1.5\n",
       [](const R& r) { return r.session.timeout_s; });
  same({"--journal", "/tmp/j"}, "  journal: j\n", [](const R& r) { return r.journal; });
  same({"--junit", "/tmp/j"}, "  junit: j\n", [](const R& r) { return r.formats.junit; });
  same({"--format", "junit=/tmp/j"}, "  formats: [junit=j]\n",
       [](const R& r) { return r.formats.junit; });
  same({"--format", "sarif=/tmp/s", "--format", "html=/tmp/h"}, "  formats: [sarif=s, html=h]\n",
       [](const R& r) {
         std::string text;
         for (const ProblemOutput& one : r.formats.outputs) {
           text += std::string(to_text(one.format)) + " " + one.file.string() + "\n";
         }
         return text;
       });
  same({"--suppressions", "/tmp/s"}, "  suppressions: s\n",
       [](const R& r) { return r.suppressions; });
  same({"--gen-suppressions", "/tmp/s"}, "  gen_suppressions: s\n",
       [](const R& r) { return r.gen_suppressions; });
  same({"--fail-on", "skipped"}, "  fail_on: [skipped]\n",
       [](const R& r) { return r.fail_on.skipped; });
  same({"--fail-on", "skipped,notices"}, "  fail_on: [skipped, notices]\n",
       [](const R& r) { return r.fail_on.notices; });
  same({"--keep", "/tmp/k"}, "  keep: k\n", [](const R& r) { return r.keep; });
  same({"--keep-all"}, "  keep_all: true\n", [](const R& r) { return r.keep_all; });
  same({"--json"}, "  json: true\n", [](const R& r) { return r.json; });
  same({"--annotations", "off"}, "  annotations: off\n",
       [](const R& r) { return r.formats.annotations; });
  same({"--durations", "10"}, "  durations: 10\n", [](const R& r) { return r.durations; });
  same({"-v"}, "  verbose: true\n", [](const R& r) { return r.verbosity; });
  same({"--quiet"}, "  quiet: true\n", [](const R& r) { return r.verbosity; });
  same({"--in-process"}, "  in_process: true\n", [](const R& r) { return r.session.in_process; });
  same({"--skip-without-device"}, "  skip_without_device: true\n",
       [](const R& r) { return r.skip_without_device; });
  same({"--no-cache"}, "  no_cache: true\n", [](const R& r) { return r.session.use_cache; });
}

TEST(JobOptions, LineAndFileMeanTheSameForABench) {
  JobRequest fresh;
  fresh.kind = JobKind::bench;
  const auto same = [&](const std::vector<std::string>& words, const std::string& lines,
                        const auto& member) {
    EXPECT_EQ(member(parsed(words, fresh)), member(configured(lines, "bench"))) << lines;
    EXPECT_NE(member(parsed(words, fresh)), member(fresh)) << lines;
  };
  using R = JobRequest;
  EXPECT_EQ(configured("", "bench").kind, JobKind::bench);
  same({"--cache", "both"}, "  cache: both\n", [](const R& r) { return r.cache; });
  same({"--budget-s", "0.5"}, "  budget_s: 0.5\n", [](const R& r) { return r.budget_s; });
  same({"--precision", "0.01"}, "  precision: 0.01\n", [](const R& r) { return r.precision; });
  same({"--max-samples", "7"}, "  max_samples: 7\n", [](const R& r) { return r.max_samples; });
  same({"--benchmark-out", "/tmp/b"}, "  benchmark_out: b\n",
       [](const R& r) { return r.google_benchmark; });
  same({"--device", "gpu"}, "  device: gpu\n", [](const R& r) { return r.session.device; });
  same({"--fail-on", "missing,skipped"}, "  fail_on: [missing, skipped]\n",
       [](const R& r) { return r.comparison.fail_on; });
  same({"--fail-on", "missing,skipped"}, "  fail_on: [missing, skipped]\n",
       [](const R& r) { return r.fail_on.skipped; });
  same({"--junit", "/tmp/j"}, "  junit: j\n", [](const R& r) { return r.formats.junit; });
  same({"--min-effect", "2.5"}, "  min_effect: 2.5\n",
       [](const R& r) { return r.comparison.min_effect; });
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--min-effect", "atomic=2,*_bytes=0.5"},
           {"--min-effect", "atomic=2", "--min-effect", "*_bytes=.5"}}) {
    same(words, "  min_effect: {atomic: 2, '*_bytes': 0.5}\n", [](const R& r) {
      std::string text;
      for (const CounterEffect& one : r.comparison.counter_effects)
        text += one.counters + " " + std::to_string(one.least) + "\n";
      return text;
    });
  }
  EXPECT_THROW(configured("  cache: both\n"), Error);
}

TEST(JobOptions, OfAnotherJobAreLeftAndListed) {
  CommandLine app("", "");
  JobArguments arguments;
  arguments.add_to(app);
  app.parse({"--trials", "3", "--budget-s", "1"});
  JobRequest request;
  arguments.apply(request);
  EXPECT_EQ(request.trials, 3U);
  EXPECT_FALSE(request.budget_s);
  EXPECT_EQ(arguments.unused_by({JobKind::check}), "--budget-s");
  EXPECT_EQ(arguments.unused_by({JobKind::bench}), "--trials");
  EXPECT_EQ(arguments.unused_by({JobKind::bench, JobKind::check}), "");
}

TEST(JobOptions, TheLineReplacesWhatTheFileSays) {
  const JobRequest file = configured(
      "  cases: [a.b]\n  select: x\n  axes: {n: [1, 2], m: [3]}\n  seed: 5\n  quiet: true\n"
      "  trials: 9\n");
  const JobRequest both =
      parsed({"--case", "c.d", "-k", "y", "-a", "n=7", "-v", "--trial=2"}, file);
  EXPECT_EQ(both.choice.ids, std::vector<std::string>{"c.d"});
  EXPECT_EQ(both.choice.select.words(), std::vector<std::string>{"y"});
  ASSERT_EQ(both.choice.axes.size(), 2U);  // of each axis for itself
  EXPECT_EQ(both.choice.axes[0].values.size(), 1U);
  EXPECT_EQ(both.session.seed, 5U);
  EXPECT_EQ(both.verbosity, Verbosity::verbose);
  EXPECT_EQ(both.trials, 1U);
  EXPECT_EQ(both.first_trial, 2U);
  EXPECT_EQ(parsed({}, file).choice.ids, file.choice.ids);
}

TEST(JobOptions, MistakesInAListOfChecksNameTheElement) {
  const auto refusal = [](const std::string& lines) -> std::string {
    try {
      configured(lines);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string wanted = "`checks` must be a list of memory, init, race and sync, or all";
  EXPECT_NE(refusal("  checks: [memory, memry]\n")
                .find("run.yaml:4:20: error: " + wanted + ", and is `memry`"),
            std::string::npos);
  EXPECT_NE(refusal("  checks: memry\n").find("run.yaml:4:11: error: " + wanted),
            std::string::npos);
  EXPECT_NE(refusal("  checks: []\n").find("`checks` is an empty list"), std::string::npos);
}

TEST(JobOptions, MistakesNameTheOption) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--checks", "race,"},
            "--checks must be a list of memory, init, race and sync, or all, and is `race,`"},
           {{"--sanitize=leak"},
            "--sanitize must be memcheck, racecheck, initcheck or synccheck, and is `leak`"},
           {{"--maxfail", "-1"}, "--maxfail must be a whole number from 0, and is `-1`"},
           {{"--trials", "0"}, "--trials must be a whole number from 1, and is `0`"},
           {{"--trial", "x"}, "--trial must be a whole number from 0"},
           {{"--durations", "1.5"}, "--durations must be"},
           {{"--annotations", "gitlab"}, "--annotations must be auto, github or off"},
           {{"--keep", ""}, "--keep is empty"},
           {{"-a", "n=1", "-a", "n=2"}, "-a names the axis `n` twice"},
           {{"--fail-on", "missing"}, "--fail-on of `check` knows no `missing`"},
           {{"-k", "a and"}, "-k: a word is missing"}}) {
    EXPECT_NE(mistake(words).find(message), std::string::npos) << mistake(words);
  }
  JobRequest bench;
  bench.kind = JobKind::bench;
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--cache", "warm"}, "--cache must be cold, hot or both, and is `warm`"},
           {{"--budget-s", "0"}, "--budget-s must be a number of seconds above 0, and is `0`"},
           {{"--budget-s", "nan"}, "--budget-s must be a number of seconds above 0"},
           {{"--precision", "1%"}, "--precision must be a share above 0"},
           {{"--min-effect", "two"}, "--min-effect must be a percentage from 0, and is `two`"},
           {{"--min-effect", "atomic=-1"}, "--min-effect must be a percentage from 0, and is `-1`"},
           {{"--min-effect", "=1"}, "--min-effect knows no counter ``"},
           {{"--min-effect", "atomc=1"}, "did you mean `atomic`?"},
           {{"--min-effect", "gobal_load_bytes=1"}, "did you mean `global_load_bytes`?"},
           {{"--max-samples", "0"}, "--max-samples must be a whole number from 1"}}) {
    EXPECT_NE(mistake(words, bench).find(message), std::string::npos) << mistake(words, bench);
  }
}

}  // namespace
}  // namespace warpmark
