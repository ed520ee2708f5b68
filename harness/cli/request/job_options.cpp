#include "cli/request/job_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "suite/axis_override.hpp"
#include "suite/suite_reader.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

void read_suites(JobRequest& request, const OptionValue& value) {
  request.paths.clear();
  for (const Located& word : value.words) {
    const fs::path path = value.path_of(word);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      throw usage_error(fmt::format("there is no file or folder `{}`", display_path(path)),
                        word.where, "paths are relative to the folder of this file");
    }
    request.paths.push_back(path);
  }
}

void read_cases(JobRequest& request, const OptionValue& value) {
  request.choice.ids.clear();
  for (const Located& word : value.words) request.choice.ids.push_back(word.text);
}

void read_select(JobRequest& request, const OptionValue& value) {
  const Located& word = value.words.front();
  request.choice.select = SelectExpression::parse(word.text, value.what, word.where);
  request.choice.select_text = word.text;
}

void read_axes_option(JobRequest& request, const OptionValue& value) {
  std::vector<Axis> axes = value.axes;
  for (const Located& word : value.words) {
    Axis axis = parse_axis_override(word.text, value.what);
    for (const Axis& other : axes) {
      if (other.name == axis.name) {
        throw usage_error(fmt::format("{} names the axis `{}` twice", value.what, axis.name), {},
                          "commas separate its values");
      }
    }
    axes.push_back(std::move(axis));
  }
  for (Axis& axis : axes) override_axis(request.choice.axes, std::move(axis));
}

// Every job knows `skipped`, `notices` and warnings; only jobs that compare know the verdicts of a
// comparison.
void read_fail_on(JobRequest& request, const OptionValue& value) {
  request.fail_on = {};
  request.comparison.fail_on.clear();
  for (const Located& word : value.words) {
    for (std::string& what : split(word.text, ',')) {
      if (what == "skipped") {
        request.fail_on.skipped = true;
      } else if (what == "notices") {
        request.fail_on.notices = true;
      } else if (std::ranges::find(race_warnings(), what) != race_warnings().end()) {
        request.fail_on.warnings.push_back(std::move(what));
      } else if (request.kind == JobKind::bench) {
        request.comparison.fail_on.push_back(std::move(what));
      } else {
        throw usage_error(fmt::format("{} of `check` knows no `{}`", value.what, printable(what)),
                          word.where,
                          "it knows skipped, notices, " + listed(race_warnings(), "and") +
                              "; what fails a comparison is for `bench`");
      }
    }
    try {
      (void)request.comparison.failing();
    } catch (const Error& error) {
      throw usage_error(error.message(), word.where,
                        error.hint() + "; skipped, notices and names of races are for every job");
    }
  }
}

void read_jobs(JobRequest& request, const OptionValue& value) {
  request.jobs = value.whole > 0 ? value.whole : usable_processors();
  request.jobs_given = true;
}

void read_trial(JobRequest& request, const OptionValue& value) {
  if (value.whole == UINT64_MAX) throw value.wrong(value.words.front(), "below 2**64 - 1");
  request.first_trial = value.whole;
  request.trials = 1;
  request.trials_given = true;
}

void read_search(JobRequest& request, const OptionValue& value) {
  request.search = parse_search_limits(value.text);
  if (!request.search)
    throw value.wrong(value.words.front(), "a time, as 60s, 5m or 1h, or a number of cases from 1");
}

void read_formats(JobRequest& request, const OptionValue& value) {
  request.formats.outputs.clear();
  for (const Located& word : value.words) {
    request.formats.read(word, value.what, value.folder);
  }
}

void read_checks(JobRequest& request, const OptionValue& value) {
  const std::vector<std::string>& known = known_checks();
  std::vector<std::string>& checks = request.session.checks;
  checks.clear();
  request.checks_given = true;
  for (const Located& word : value.words) {
    if (word.text == "all" && value.words.size() == 1) {
      checks = known;
      return;
    }
    for (const std::string& name : split(word.text, ',')) {
      checks.emplace_back(trim(name));
      if (std::ranges::find(known, checks.back()) == known.end())
        throw value.wrong(word, "a list of " + listed(known, "and") + ", or all");
    }
  }
}

const OptionRule kText, kFlag;
const OptionRule kPath = {.kind = OptionRule::Kind::path};
const OptionRule kShare = {.kind = OptionRule::Kind::share};
constexpr const char* kSearchSchema =
    R"({"anyOf": [{"type": "string", "pattern": "^[1-9][0-9]*[smh]?$"},
                  {"type": "integer", "minimum": 1}]})";
constexpr const char* kSeconds = "a number of seconds above 0";

// KIND=FILE, where github has no file.
OptionRule format_rule() {
  static const std::string pattern = [] {
    std::string kinds = "junit";
    for (const ProblemFormat one : each_value<ProblemFormat>())
      kinds += "|" + std::string(to_text(one));
    return "^(github|(" + kinds + ")=.+)$";
  }();
  return {.schema = pattern.c_str()};
}

OptionRule fail_rule() {
  OptionRule rule = one_of({"skipped", "notices"});
  rule.words.insert(rule.words.end(), race_warnings().begin(), race_warnings().end());
  rule.more_words = CompareRequest::may_fail();
  return rule;
}

// As errors call it: "-k" of "-k,--select".
std::string first_name(const JobOption& option) {
  return split(split(option.flags, ',').front(), '{').front();
}

using K = OptionKind;
using T = Takers;
using Request = JobRequest;

}  // namespace

const std::vector<JobOption>& job_options() {
  static const std::vector<JobOption> kOptions = {
      {"", "suites", "", K::words, T::every, "Suite files and folders of them", kPath,
       &read_suites},
      {"--case", "cases", "ID", K::words, T::every, "The case with this id only; may be repeated",
       kText, &read_cases},
      {"-k,--select", "select", "EXPR", K::word, T::every,
       "Only cases whose ids match: words, and, or, not, ( ), *", kText, &read_select},
      {"-a,--axis", "axes", "AXIS=V,V", K::axes, T::every,
       "Other values for an axis; may be repeated", kText, &read_axes_option},
      {"--lf,--last-failed", "last_failed", "", K::flag, T::check,
       "Only cases that failed last time (all cases if none failed)", kFlag,
       [](Request& request, const OptionValue& value) { request.last_failed = value.on; }},
      {"-x,--exitfirst", "exitfirst", "", K::flag, T::every, "Stop after the first failure", kFlag,
       [](Request& request, const OptionValue& value) { request.max_failures = value.on ? 1 : 0; }},
      {"--maxfail", "maxfail", "N", K::word, T::every, "Stop after N failures (0: never)",
       whole_number(0).normally("0"),
       [](Request& request, const OptionValue& value) { request.max_failures = value.whole; }},
      {"--device", "device", "D", K::word, T::every,
       "auto (default), gpu, cpu, one with a number (gpu:1), or all GPUs (all)",
       OptionRule{.schema = "^[A-Za-z0-9_-]+(:[0-9]+)?$"}.normally("\"auto\""),
       [](Request& request, const OptionValue& value) {
         request.session.device = value.text;
         request.device_given = true;
       }},
      {"-j,--jobs", "jobs", "N", K::word, T::check,
       "Run cases in N processes at the same time (0: one for each processor)",
       whole_number(0, 1024).normally("1"), &read_jobs, true},
      {"--seed", "seed", "N", K::word, T::every, "Seed of all inputs (default 0)",
       whole_number(0, UINT64_MAX).normally("0"),
       [](Request& request, const OptionValue& value) {
         request.session.seed = value.whole;
         request.seed_given = true;
       }},
      {"--trials", "trials", "N", K::word, T::check,
       "Run each case N times, with other inputs each time", whole_number(1).normally("1"),
       [](Request& request, const OptionValue& value) {
         request.trials = value.whole;
         request.first_trial = 0;
         request.trials_given = true;
       }},
      {"--trial", "trial", "K", K::word, T::check, "Run only the trial of this number, from 0",
       whole_number(0), &read_trial, true},
      {"--search",
       "search",
       "LIMIT",
       K::word,
       T::check,
       "Look in `any` ranges for failing cases: a time (60s, 5m) or a count",
       {.kind = OptionRule::Kind::json, .schema = kSearchSchema},
       &read_search},
      {"--step", "step", "NAME", K::word, T::check,
       "End each case after this step, and look for mistakes up to there", kText,
       [](Request& request, const OptionValue& value) { request.step = value.text; }, true},
      {"--checks", "checks", "LIST", K::list, T::check,
       "Checks of the CPU device: memory"
#define CHECK(name, kind, word, places) "," #name
#include "warpmark/checks.def"
       " (default all)",
       one_of(known_checks()), &read_checks},
      {"--suppressions", "suppressions", "FILE", K::word, T::check,
       "Accept the findings that this file lists, with a reason for each", kPath,
       [](Request& request, const OptionValue& value) { request.suppressions = value.path; }},
      {"--gen-suppressions", "gen_suppressions", "FILE", K::word, T::check,
       "Write a suppression for each finding to this file, to be completed", kPath,
       [](Request& request, const OptionValue& value) { request.gen_suppressions = value.path; }},
      {"--schedules", "schedules", "N", K::word, T::check,
       "Orders of threads to try, where they may matter (default 8)", whole_number(1),
       [](Request& request, const OptionValue& value) {
         request.session.schedules = value.whole - 1;
       },
       true},
      {"--schedule", "schedule", "K", K::word, T::check,
       "Run only in this order of threads; 0 is the usual one", whole_number(0),
       [](Request& request, const OptionValue& value) { request.session.schedule = value.whole; },
       true},
      {"--sanitize{memcheck}", "sanitize", "", K::choice, T::check,
       "On a GPU: run under compute-sanitizer (default memcheck)", one_of(sanitizer_tools()),
       [](Request& request, const OptionValue& value) { request.sanitize = value.text; }},
      {"--counters", "counters", "", K::flag, T::check,
       "Count instructions and memory traffic, and print them for each case", kFlag,
       [](Request& request, const OptionValue& value) {
         request.session.counters.assign(value.on ? 1 : 0, "traffic");
       }},
      {"--coverage", "coverage", "FILE", K::word, T::check,
       "Count the lines of device code that run, and write them in lcov's format", kPath,
       [](Request& request, const OptionValue& value) {
         request.coverage = value.path;
         request.session.coverage = true;
       }},
      {"--coverage-min", "coverage_min", "PCT", K::word, T::check,
       "Fail if fewer percent of the lines of device code run",
       positive_number("a percentage above 0, up to 100", 100),
       [](Request& request, const OptionValue& value) {
         request.coverage_min = value.real;
         request.session.coverage = true;
       }},
      {"--timeout-s", "timeout_s", "S", K::word, T::every,
       "Seconds that the device part of a case may take (default 60)",
       positive_number(kSeconds).normally("60"),
       [](Request& request, const OptionValue& value) {
         request.session.timeout_s = value.real;
         request.timeout_given = true;
       }},
      {"--cache", "cache", "STATE", K::word, T::bench,
       "State of the last-level cache: cold (default), hot, both",
       one_of({"cold", "hot", "both"}).normally("\"cold\""),
       [](Request& request, const OptionValue& value) {
         for (const CacheChoice one : each_value<CacheChoice>())
           if (to_text(one) == value.text) request.cache = one;
       }},
      {"--graph", "graph", "", K::flag, T::bench, "Time runs in CUDA graphs, too", kFlag,
       [](Request& request, const OptionValue& value) { request.graph = value.on; }},
      {"--transfers", "transfers", "", K::flag, T::bench,
       "Time copies of inputs and results, too, from pinned and pageable memory", kFlag,
       [](Request& request, const OptionValue& value) { request.transfers = value.on; }},
      {"--budget-s", "budget_s", "S", K::word, T::bench,
       "Seconds that the samples of a case may take (default 5)",
       positive_number(kSeconds).normally("5"),
       [](Request& request, const OptionValue& value) { request.budget_s = value.real; }},
      {"--precision", "precision", "P", K::word, T::bench,
       "Stop when the median is known to this relative precision (default 0.005)",
       positive_number("a share above 0, as 0.01 for 1 %").normally("0.005"),
       [](Request& request, const OptionValue& value) { request.precision = value.real; }},
      {"--max-samples", "max_samples", "N", K::word, T::bench,
       "Take no more than N samples of a case (default 10000)", whole_number(1).normally("10000"),
       [](Request& request, const OptionValue& value) { request.max_samples = value.whole; }},
      {"--processes", "processes", "N", K::word, T::bench,
       "Share the samples of a case between N fresh processes (default 5)",
       whole_number(1).normally("5"),
       [](Request& request, const OptionValue& value) { request.processes = value.whole; }},
      {"--shard", "", "I/N", K::word, T::every,
       "Only the I-th of N parts of the cases; auto: as the environment says", kText,
       [](Request& request, const OptionValue& value) { request.shard = parse_shard(value.text); }},
      {"--shard-times", "", "JOURNAL", K::word, T::every,
       "With --shard: parts that take equally long, by an earlier run", kPath,
       [](Request& request, const OptionValue& value) { request.shard_times = value.path; }},
      {"--journal", "journal", "FILE", K::word, T::every,
       "Write every outcome to this file, as JSON lines", kPath,
       [](Request& request, const OptionValue& value) { request.journal = value.path; }},
      {"--junit", "junit", "FILE", K::word, T::every, "Write a JUnit XML report", kPath,
       [](Request& request, const OptionValue& value) { request.formats.junit = value.path; }},
      {"--format", "formats", "KIND=FILE", K::words, T::every, kFormatHelp, format_rule(),
       &read_formats},
      {"--benchmark-out", "benchmark_out", "FILE", K::word, T::bench,
       "Write Google Benchmark's JSON, for its compare.py", kPath,
       [](Request& request, const OptionValue& value) { request.google_benchmark = value.path; }},
      {"--against", "against", "OTHER", K::word, T::bench,
       "Take turns with another suite or .cu file, a git revision, or `baseline`", kPath,
       [](Request& request, const OptionValue& value) {
         std::error_code ignored;
         const fs::path file = value.path;
         request.against = fs::exists(file, ignored) ? file.string() : value.text;
       }},
      {"--compare", "compare", "BASELINE", K::word, T::bench,
       "Compare with this baseline or journal, as `warpmark compare` does", kPath,
       [](Request& request, const OptionValue& value) { request.baseline = value.path; }},
      {"--update-baseline{true}", "update_baseline", "", K::choice, T::bench,
       "Write the counters to the file of --compare; =pinned: for this version",
       one_of({"true", "false", "pinned"}).normally("false"),
       [](Request& request, const OptionValue& value) {
         request.update_baseline = value.text != "false";
         request.pin_version = value.text == "pinned";
       }},
      {"--min-effect", "min_effect", "PCT", K::amounts, T::bench,
       "The smallest change that counts, in percent, or for counters: load=5", kShare,
       [](Request& request, const OptionValue& value) {
         request.comparison.read_min_effects(value.words, value.what);
       }},
      {"--fail-on", "fail_on", "WHAT", K::words, T::every,
       "Fail on skipped, notices, a race's name, or a comparison's verdict", fail_rule(),
       &read_fail_on},
      {"--allow-missing", "allow_missing", "", K::flag, T::bench,
       "With --compare: cases that only the baseline has do not fail", kFlag,
       [](Request& request, const OptionValue& value) {
         request.comparison.allow_missing = value.on;
       }},
      {"--across-devices", "across_devices", "", K::flag, T::bench,
       "With --compare: allow results of another device", kFlag,
       [](Request& request, const OptionValue& value) {
         request.comparison.across_devices = value.on;
       }},
      {"--keep", "keep", "DIR", K::word, T::check,
       "Keep sources, PTX, inputs, outputs … of failures in this folder", kPath,
       [](Request& request, const OptionValue& value) { request.keep = value.path; }},
      {"--keep-all", "keep_all", "", K::flag, T::check, "With --keep: also of cases that passed",
       kFlag, [](Request& request, const OptionValue& value) { request.keep_all = value.on; }},
      {"--json", "json", "", K::flag, T::every,
       "Print JSON lines (schema/outcome.json), not a report", kFlag,
       [](Request& request, const OptionValue& value) { request.json = value.on; }},
      {"--annotations", "annotations", "HOW", K::word, T::every, kAnnotationsHelp,
       one_of({"auto", "github", "off"}).normally("\"auto\""),
       [](Request& request, const OptionValue& value) {
         request.formats.read_annotations(value.words.front(), value.what);
       }},
      {"--durations", "durations", "N", K::word, T::every, "List the N slowest cases (0: all)",
       whole_number(0),
       [](Request& request, const OptionValue& value) { request.durations = value.whole; }},
      {"--show", "", "N", K::word, T::check,
       "Of cases that fail in one way, print the texts of N (default: 1; 0: all)", whole_number(0),
       [](Request& request, const OptionValue& value) { request.shown = value.whole; }},
      {"-v,--verbose", "verbose", "", K::flag, T::every, "Print a line for each case", kFlag,
       [](Request& request, const OptionValue& value) {
         request.verbosity = value.on ? Verbosity::verbose : Verbosity::normal;
       }},
      {"-q,--quiet", "quiet", "", K::flag, T::every, "Print only failures and the sum", kFlag,
       [](Request& request, const OptionValue& value) {
         request.verbosity = value.on ? Verbosity::quiet : Verbosity::normal;
       }},
      {"--in-process", "in_process", "", K::flag, T::every,
       "Run cases in this process, for debuggers; a crash ends the run", kFlag,
       [](Request& request, const OptionValue& value) { request.session.in_process = value.on; },
       true},
      {"--skip-without-device", "skip_without_device", "", K::flag, T::every,
       "Exit with 77 instead of 3 if the device does not exist", kFlag,
       [](Request& request, const OptionValue& value) { request.skip_without_device = value.on; }},
      {"--no-cache", "no_cache", "", K::flag, T::every, "Compile every kernel again", kFlag,
       [](Request& request, const OptionValue& value) { request.session.use_cache = !value.on; }},
  };
  return kOptions;
}

nlohmann::ordered_json JobOption::schema(JobKind job) const {
  using Json = nlohmann::ordered_json;
  Json one = rule.word_schema(job == JobKind::bench),
       value = {{"description", std::string(help) + "."}};
  switch (kind) {
    case OptionKind::flag:
      value.update({{"type", "boolean"}, {"default", false}});
      break;
    case OptionKind::word:
    case OptionKind::choice:
      value.update(one);
      break;
    case OptionKind::list: {
      const std::string word = "(" + join(rule.words, "|") + ")";
      value["oneOf"] = {
          {{"type", "string"}, {"pattern", "^(all|" + word + "( *, *" + word + ")*)$"}},
          {{"type", "array"}, {"minItems", 1}, {"items", std::move(one)}}};
      break;
    }
    case OptionKind::amounts:
      value["oneOf"] = {one,
                        {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", one}}};
      break;
    case OptionKind::words:
      value.update({{"type", "array"}, {"minItems", 1}, {"items", std::move(one)}});
      break;
    case OptionKind::axes:
      value.update({{"type", "object"},
                    {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
                    {"additionalProperties", {{"type", {"array", "object"}}}}});
      break;
  }
  if (*rule.standard != '\0') value["default"] = parse_json(rule.standard);
  return value;
}

bool JobOption::is_for(JobKind job) const {
  return takers == Takers::every || (takers == Takers::check) == (job == JobKind::check);
}

void JobArguments::add(const ArgumentParser& app, const JobOption& option) {
  if (option.flags[0] == '\0') return;
  given_.push_back(std::make_unique<Given>(Given{&option, CommandOption(nullptr), {}}));
  Given& given = *given_.back();
  if (option.kind == OptionKind::flag) {
    given.argument = app.add_flag(option.flags, option.help);
    return;
  }
  if (option.kind == OptionKind::choice) {
    given.argument = app.add_flag(option.flags, given.words, option.help).value_name(option.type);
    return;
  }
  given.argument = app.add_option(option.flags, given.words, option.help)
                       .value_name(option.type)
                       .one_value_each_time();
  if (option.kind == OptionKind::word || option.kind == OptionKind::list) {
    given.argument.one_value();
  }
}

void add_suite_paths(const ArgumentParser& app, std::vector<std::filesystem::path>& paths) {
  app.add_option("PATHS", paths, "Suite files, and folders of them (default: the folder `suites`)")
      .value_name("");
}

void JobArguments::add_to(const ArgumentParser& app) {
  for (const JobOption& option : job_options()) {
    if (!option.is_key()) continue;
    add(app, option);
    if (option.seldom) given_.back()->argument.hide();
  }
}

void JobArguments::add_to(const ArgumentParser& app, JobKind job) {
  for (const JobOption& option : job_options()) {
    if (option.is_for(job)) add(app, option);
  }
}

void JobArguments::add_to(const ArgumentParser& app, const std::vector<std::string>& keys) {
  for (const JobOption& option : job_options()) {
    if (std::ranges::find(keys, option.key) != keys.end()) add(app, option);
  }
}

std::string JobArguments::unused_by(const std::vector<JobKind>& jobs) const {
  for (const auto& given : given_) {
    const bool used =
        std::ranges::any_of(jobs, [&](JobKind job) { return given->option->is_for(job); });
    if (given->argument.count() > 0 && !used) return first_name(*given->option);
  }
  return "";
}

namespace {

void read(const JobOption& option, OptionValue& value, JobRequest& request) {
  if (option.is_one_word()) option.rule.read(value);
  option.read(request, value);
  std::vector<std::string> words;
  for (const Located& word : value.words) words.push_back(word.text);
  if (words.empty()) words.emplace_back(value.on ? "true" : "false");
  request.given[option.key] = join(words, ",");
}

}  // namespace

void JobArguments::apply(JobRequest& request, const std::vector<std::string>& keys) const {
  for (const auto& given : given_) {
    if (given->argument.count() == 0 || !given->option->is_for(request.kind)) continue;
    const bool wanted = keys.empty() || std::ranges::find(keys, given->option->key) != keys.end();
    if (!wanted) continue;
    OptionValue value;
    value.what = first_name(*given->option);
    for (const std::string& word : given->words) value.words.push_back({word, {}});
    const bool one = given->option->is_one_word() || given->option->kind == OptionKind::list;
    if (one && value.words.size() != 1) {
      throw usage_error(fmt::format("{} is given {} times", value.what, value.words.size()));
    }
    read(*given->option, value, request);
  }
}

void read_option(const JobOption& option, const YamlNode& node, const fs::path& folder,
                 JobRequest& request) {
  OptionValue value;
  value.what = fmt::format("`{}`", option.key);
  value.folder = folder;
  switch (option.kind) {
    case OptionKind::flag:
      value.on = read_truth(node, value.what);
      break;
    case OptionKind::word:
    case OptionKind::choice:
      value.words.push_back(read_text(node, value.what));
      break;
    case OptionKind::list:
      if (node.kind != YamlNode::Kind::list) {
        value.words.push_back(read_text(node, value.what));
        break;
      }
      [[fallthrough]];
    case OptionKind::words:
      require_list(node, value.what);
      for (const YamlNode& element : node.elements) {
        value.words.push_back(read_text(element, "an element of " + value.what));
      }
      break;
    case OptionKind::amounts:
      if (node.kind != YamlNode::Kind::map) {
        value.words.push_back(read_text(node, value.what));
        break;
      }
      for (const YamlMember& member : node.members) {
        Located amount = read_text(member.value, "a value of " + value.what);
        amount.text = member.key + "=" + amount.text;
        value.words.push_back(std::move(amount));
      }
      break;
    case OptionKind::axes:
      value.axes = read_axes(node);
      break;
  }
  read(option, value, request);
}

}  // namespace warpmark
