#include "jobs/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "ranks/launcher.hpp"

namespace warpmark {

namespace {

std::optional<size_t> number_in(std::string_view text) {
  size_t number = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns nothing for a variable that is not set. Throws for one that is no number.
std::optional<size_t> count_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto number = number_in(text);
  if (!number) {
    throw usage_error(fmt::format("{} is `{}`, which is no number", variable, printable(text)));
  }
  return number;
}

// The shard of one engine's variables; `count` is 0 if the engine does not tell the number.
std::optional<Shard> of_variables(const char* index_variable, const char* count_variable,
                                  size_t first) {
  const auto index = count_of(index_variable);
  if (!index) return std::nullopt;
  const auto count = count_variable == nullptr ? std::nullopt : count_of(count_variable);
  if (count_variable != nullptr && !count) return std::nullopt;
  if (*index < first) {
    throw usage_error(fmt::format("{} is {}, and counts from {}", index_variable, *index, first));
  }
  return Shard{*index - first + 1, count.value_or(0), index_variable};
}

// The shard of a Slurm array. A task of an array 0-3 knows its index and the number of tasks. If
// only some are run again, as by --array=2, or if the array begins elsewhere, it does not.
std::optional<Shard> of_slurm_array() {
  const auto id = count_of("SLURM_ARRAY_TASK_ID");
  if (!id) return std::nullopt;
  const auto count = count_of("SLURM_ARRAY_TASK_COUNT"), least = count_of("SLURM_ARRAY_TASK_MIN"),
             most = count_of("SLURM_ARRAY_TASK_MAX");
  const bool whole = count && least && most && *least == 0 && *most + 1 == *count;
  return Shard{*id + 1, whole ? *count : 0, "SLURM_ARRAY_TASK_ID"};
}

std::vector<Shard> of_environment() {
  std::vector<Shard> found;
  const auto add = [&found](std::optional<Shard> shard) {
    if (shard) found.push_back(std::move(*shard));
  };
  add(of_slurm_array());
  if (const auto rank = launched_rank()) {
    found.push_back({static_cast<size_t>(rank->rank) + 1, static_cast<size_t>(rank->size),
                     "the launcher of ranks"});
  }
  add(of_variables("CI_NODE_INDEX", "CI_NODE_TOTAL", 1));
  add(of_variables("GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0));
  add(of_variables("JOB_COMPLETION_INDEX", nullptr, 0));
  return found;
}

Shard automatic(size_t count) {
  std::vector<Shard> found = of_environment();
  if (found.empty()) {
    throw usage_error(
        "--shard auto: nothing in the environment says which shard this is", {},
        "it knows SLURM_ARRAY_TASK_ID, ranks of mpirun and srun, CI_NODE_INDEX, GTEST_SHARD_INDEX "
        "and JOB_COMPLETION_INDEX; --shard I/N says it on the command line");
  }
  for (Shard& one : found) {
    if (one.count == 0) one.count = count;
    if (one.count == 0) {
      throw usage_error(
          fmt::format("--shard auto: {} says that this is number {}, but not of how many", one.from,
                      one.index),
          {}, "say it: --shard auto/N");
    }
    if (count > 0 && one.count != count) {
      throw usage_error(
          fmt::format("--shard auto/{}: {} says that there are {}", count, one.from, one.count));
    }
    if (one.index == found.front().index && one.count == found.front().count) continue;
    throw usage_error(
        fmt::format("--shard auto: {} says that this is shard {}/{}, and {} that it is {}/{}",
                    found.front().from, found.front().index, found.front().count, one.from,
                    one.index, one.count),
        {}, "say which: --shard I/N");
  }
  return found.front();
}

}  // namespace

Shard parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  const auto count = slash == std::string_view::npos ? std::optional<size_t>(0)
                                                     : number_in(text.substr(slash + 1));
  const std::string_view index = text.substr(0, slash);
  Shard shard;
  if (index == "auto" && count && (slash == std::string_view::npos || *count > 0)) {
    shard = automatic(*count);
  } else if (const auto number = number_in(index);
             number && count && slash != std::string_view::npos) {
    shard = {*number, *count, ""};
  } else {
    throw usage_error(
        fmt::format("--shard must be I/N, auto or auto/N, and is `{}`", printable(text)), {},
        "2/4 is the second of four shards");
  }
  if (shard.index == 0 || shard.index > shard.count) {
    throw usage_error(fmt::format("--shard: there is no shard {} of {}", shard.index, shard.count),
                      {}, "shards count from 1");
  }
  return shard;
}

std::vector<size_t> divide(const std::vector<double>& seconds, size_t count) {
  std::vector<size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  std::vector<double> loads(count);
  std::vector<size_t> shards(seconds.size());
  for (const size_t piece : order) {
    const auto least = std::ranges::min_element(loads);
    *least += seconds[piece];
    shards[piece] = static_cast<size_t>(least - loads.begin()) + 1;
  }
  return shards;
}

Division divide_named(const std::vector<std::string>& names,
                      const std::map<std::string, double>& seconds, size_t count,
                      const std::string& pieces) {
  if (count > names.size()) {
    throw usage_error(fmt::format("{} shards are too many for {}", count, pieces), {},
                      "each needs one");
  }
  // One that takes no time is counted as a little, so that such ones go round.
  constexpr double kLeast = 1e-3;
  double sum = 0;
  for (const auto& [name, known] : seconds) sum += std::max(kLeast, known);
  const double mean = seconds.empty() ? 1 : sum / static_cast<double>(seconds.size());
  std::vector<double> all;
  for (const std::string& name : names) {
    const auto known = seconds.find(name);
    all.push_back(known == seconds.end() ? mean : std::max(kLeast, known->second));
  }
  Division division{divide(all, count), ""};
  Sha256 digest;
  for (size_t i = 0; i < names.size(); ++i) {
    digest.add_field(names[i]);
    digest.add_field(std::to_string(division.shards[i]));
  }
  division.digest = digest.finish_hex();
  return division;
}

}  // namespace warpmark
