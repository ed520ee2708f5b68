#include "grade/class/grade_shard_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/leaderboard/leaderboard.hpp"
#include "report/grade/grade_text.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

void require_one_run(const GradeShard& shard, const fs::path& folder, const GradeShard& first,
                     const fs::path& first_folder) {
  const auto same = [&](const std::string& what, const Json& value, const Json& other) {
    require_same(what, value, other, folder, first_folder);
  };
  same("the version of Warpmark", shard.warpmark, first.warpmark);
  same("the assignment", shard.assignment, first.assignment);
  same("the hash of the assignment and its files", shard.assignment_sha256,
       first.assignment_sha256);
  if (shard.assignment_version != first.assignment_version) {
    throw usage_error(
        fmt::format("{} and {} have different secrets: these are not parts of one run",
                    display_path(first_folder), display_path(folder)),
        {}, "the secret is the seed of all inputs");
  }
  same("the device", shard.device, first.device);
  same("the driver's version", shard.driver_version, first.driver_version);
  same("the version of NVRTC", shard.nvrtc_version, first.nvrtc_version);
  same("whether --no-sandbox was given", shard.no_sandbox, first.no_sandbox);
  if (shard.files == first.files) return;
  for (const auto* one : {&shard.files, &first.files}) {
    const auto& other = one == &shard.files ? first.files : shard.files;
    for (const auto& file : *one) {
      if (std::ranges::find(other, file) != other.end()) continue;
      throw usage_error(
          fmt::format("{} and {} had different files for --{}: these are not parts of "
                      "one run",
                      display_path(first_folder), display_path(folder), file.first));
    }
  }
}

// Takes over earlier runs' changes from the shards' folders, the oldest first.
void take_history(const GradedParts& parts, const GradeFiles& files) {
  std::vector<std::string> rows;
  for (const fs::path& folder : parts.folders) {
    const fs::path file = folder / "changes.csv";
    std::error_code code;
    if (!fs::is_regular_file(file, code)) continue;
    const std::string text = read_file(file);
    for (size_t at = text.find("\r\n"); at != std::string::npos;) {
      const size_t begin = at + 2, end = text.find("\r\n", begin);
      if (end != std::string::npos) rows.push_back(text.substr(begin, end + 2 - begin));
      at = end;
    }
  }
  // A row begins with its date.
  std::ranges::stable_sort(rows, [](const std::string& a, const std::string& b) {
    return a.substr(0, a.find(',')) < b.substr(0, b.find(','));
  });
  if (!rows.empty()) {
    write_file_atomically(files.folder() / "changes.csv", changes_csv_head() + join(rows, ""));
  }
  for (size_t i = 0; i < parts.results.size(); ++i) {
    const auto before =
        read_grade(parts.folders[parts.of[i]], parts.results[i].student, "previous.json");
    if (before) files.keep(*before);
  }
}

}  // namespace

GradedParts read_parts(const std::vector<fs::path>& folders) {
  GradedParts found;
  std::vector<GradeShard> shards;
  shards.reserve(folders.size());
  for (const fs::path& folder : folders) shards.push_back(read_grade_shard(folder));
  std::vector<size_t> order(folders.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return shards[a].shard.index < shards[b].shard.index; });
  std::vector<ShardPart> parts;
  for (const size_t i : order) {
    found.folders.push_back(folders[i]);
    found.shards.push_back(std::move(shards[i]));
    parts.push_back({folders[i], found.shards.back().shard, {}});
    for (const GradeShard::Part& one : found.shards.back().submissions)
      parts.back().positions.push_back(one.position);
  }
  for (size_t i = 0; i < found.shards.size(); ++i) {
    if (found.shards[i].finished) continue;
    throw usage_error(fmt::format("{} has not finished: its run was ended, or goes on",
                                  display_path(found.folders[i])),
                      {}, "run that shard again; it goes on where it ended");
  }
  for (size_t i = 0; i < found.shards.size(); ++i) {
    require_one_run(found.shards[i], found.folders[i], found.shards.front(), found.folders.front());
  }
  const std::vector<CasePlace> places =
      whole_run(parts, {"submission", "submissions", "the same submissions"});
  for (const CasePlace& place : places) {
    const std::string& student = found.shards[place.part].submissions[place.index].student;
    auto result = read_grade(found.folders[place.part], student);
    if (!result) {
      throw usage_error(fmt::format("{} has no result of `{}`",
                                    display_path(found.folders[place.part]), printable(student)),
                        {}, "run that shard again");
    }
    found.results.push_back(std::move(*result));
    found.of.push_back(place.part);
  }
  return found;
}

GradedParts read_whole(const fs::path& folder) {
  GradedParts found;
  found.folders = {folder};
  found.results = read_grades(folder);
  found.whole = true;
  if (found.results.empty()) {
    throw usage_error(fmt::format("there are no grades in {}", display_path(folder)), {},
                      "name the folder that `warpmark grade` had as -o");
  }
  if (found.results.front().context.speed_only) {
    throw usage_error(fmt::format("{} has times alone", display_path(folder)), {},
                      "name the class's folder, and this one with --speed");
  }
  found.of.assign(found.results.size(), 0);
  const GradeResult& first = found.results.front();
  GradeShard all;
  all.assignment = first.assignment;
  all.assignment_sha256 = first.context.assignment_sha256;
  all.assignment_version = first.context.assignment_version;
  found.shards.push_back(std::move(all));
  return found;
}

std::vector<GradeChange> write_merged(GradedParts& parts, const TakenTimes* times,
                                      const GradeFiles& files) {
  files.require_assignment(parts.shards.front().assignment);
  const std::vector<GradeResult> there = files.read_all();
  require_kind(files.folder(), there, parts.results.front().context.speed_only);
  if (there.empty()) take_history(parts, files);
  std::vector<GradeChange> changes;
  for (GradeResult& result : parts.results) {
    auto previous = files.read(result.student);
    if (previous && !has_points(*previous)) previous.reset();
    // A copy of a class has changes, too.
    if (!previous && times != nullptr && has_points(result)) previous = result;
    if (previous && !has_points(result)) result = kept_grade(*previous, result);
    if (previous) take_times(result, *previous);
    if (times != nullptr) times->join(result);
    GradeRules::renew(result);
    renew_leaderboard(result);
    if (previous) {
      if (auto change = change_between(*previous, result)) {
        files.keep(*previous);
        changes.push_back(std::move(*change));
      }
    }
    files.write(result);
  }
  const std::string linted = read_linted(parts.folders.front());
  const bool all = std::ranges::all_of(parts.folders,
                                       [&](const auto& one) { return read_linted(one) == linted; });
  if (all && !linted.empty()) files.set_linted(linted);
  files.write_class(files.read_all());
  if (!changes.empty()) files.add_changes(changes);
  return changes;
}

}  // namespace warpmark
