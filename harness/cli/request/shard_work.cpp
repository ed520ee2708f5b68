#include "cli/request/shard_work.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "cli/program/command_line.hpp"
#include "report/run/case_text.hpp"
#include "results/journal.hpp"
#include "runtime/suite_inputs.hpp"

namespace warpmark {

namespace {

constexpr std::string_view kPlace = "{shard}";

// Seconds by case.
std::map<std::string, double> known_times(const std::filesystem::path& journal) {
  std::map<std::string, double> times;
  if (journal.empty()) return times;
  for (const JournalContents& run : read_journal_runs(journal)) {
    for (const auto& record : run.cases) {
      const auto& seconds = record.value("seconds", nlohmann::ordered_json());
      const auto& id = record.value("case", nlohmann::ordered_json());
      if (id.is_string() && seconds.is_number()) times[id.get<std::string>()] = seconds;
    }
  }
  return times;
}

}  // namespace

std::filesystem::path with_shard_number(const std::filesystem::path& file, size_t number) {
  std::string name = file.string();
  const size_t at = name.find(kPlace);
  if (at != std::string::npos) name.replace(at, kPlace.size(), std::to_string(number));
  return name;
}

void adapt_to_shard(JobRequest& request) {
  if (!request.shard) {
    if (request.shard_times.empty()) return;
    throw usage_error("--shard-times says how cases are divided, and --shard is missing");
  }
  if (!request.baseline.empty() || !request.against.empty()) {
    throw usage_error(
        fmt::format("{} needs all cases, and --shard runs some of them",
                    request.against.empty() ? "--compare" : "--against"),
        {}, "merge the journals of all shards (`warpmark merge`), then `warpmark compare`");
  }
  if (request.last_failed) {
    throw usage_error(
        "--last-failed is what this machine remembers, and --shard divides a run "
        "among several");
  }
  const size_t number = request.shard->index;
  for (std::filesystem::path* file :
       {&request.journal, &request.formats.junit, &request.google_benchmark, &request.keep}) {
    *file = with_shard_number(*file, number);
  }
  for (ProblemOutput& output : request.formats.outputs) {
    output.file = with_shard_number(output.file, number);
  }
}

namespace {

// Options that verdicts do not depend on: which files are written, what is printed, and how many
// processes do it. The choice of cases shows in the cases themselves, and the device in its record.
const std::set<std::string>& indifferent_options() {
  static const std::set<std::string> kKeys = {"",         "cases",        "select",
                                              "axes",     "last_failed",  "device",
                                              "jobs",     "shard",        "journal",
                                              "junit",    "formats",      "gen_suppressions",
                                              "coverage", "coverage_min", "keep",
                                              "keep_all", "json",         "benchmark_out",
                                              "quiet",    "verbose",      "seed",
                                              "trials",   "annotations",  "durations",
                                              "no_cache", "in_process",   "skip_without_device"};
  return kKeys;
}

std::map<std::string, std::string> settings_of(const JobRequest& request) {
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : request.given) {
    if (!indifferent_options().contains(key)) settings.emplace(key, value);
  }
  return settings;
}

// A digest of the files of each suite, by its name. A file that cannot be read fails its cases.
std::map<std::string, std::string> texts_of(const std::vector<CaseWork>& work) {
  constexpr size_t kDigits = 16;
  std::map<std::string, std::string> texts;
  for (const CaseWork& one : work) {
    const Suite& suite = *one.which.suite;
    if (texts.contains(suite.name)) continue;
    Sha256 digest;
    for (const std::string& file : suite_inputs(suite)) {
      digest.add_field(std::filesystem::path(file).filename().string());
      try {
        digest.add_field(read_file(file));
      } catch (const Error&) {
        digest.add_field("");
      }
    }
    texts[suite.name] = digest.finish_hex().substr(0, kDigits);
  }
  return texts;
}

}  // namespace

std::optional<ShardContext> keep_shard(std::vector<CaseWork>& work, const JobRequest& request) {
  if (!request.shard) return std::nullopt;
  const Shard& shard = *request.shard;
  std::vector<std::string> ids;
  for (const CaseWork& one : work) ids.push_back(one.which.id);
  const Division division = divide_named(ids, known_times(request.shard_times), shard.count,
                                         count_text(work.size(), "case"));
  const std::map<std::string, std::string> texts = texts_of(work);
  std::vector<CaseWork> kept;
  for (size_t i = 0; i < work.size(); ++i) {
    if (division.shards[i] != shard.index) continue;
    work[i].position = i;
    kept.push_back(std::move(work[i]));
  }
  ShardContext context{shard.index,
                       shard.count,
                       work.size(),
                       division.digest,
                       command_line({"--shard", "--shard-times"}),
                       settings_of(request),
                       texts};
  work = std::move(kept);
  return context;
}

void set_shard(const std::optional<ShardContext>& shard, RunContext& context) {
  context.shard = shard;
  if (!shard) return;
  context.notes.push_back(fmt::format("shard {} of {}, which have {} together", shard->index,
                                      shard->count, count_text(shard->cases, "case")));
}

}  // namespace warpmark
