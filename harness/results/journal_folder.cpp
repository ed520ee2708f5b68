#include "results/journal_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "results/comparable_times.hpp"
#include "results/counted_baseline.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// Checks the properties that all results of one bench have in common.
void require_same_run(const BenchResult& first, const BenchResult& other) {
  const auto same = [&](const char* what, const std::string& a, const std::string& b) {
    if (a == b) return;
    throw usage_error(fmt::format("{} and {} are not of one bench: {} differ: {} and {}",
                                  display_path(first.file), display_path(other.file), what,
                                  printable(a), printable(b)),
                      {}, "compare the files of each by themselves");
  };
  same("the devices", first.device_name, other.device_name);
  same("the architectures", std::to_string(first.architecture), std::to_string(other.architecture));
  same("the NVRTC versions", first.nvrtc_version, other.nvrtc_version);
  if (!first.seed.empty() && !other.seed.empty()) same("the seeds", first.seed, other.seed);
}

// Shifts all times to one reference, the time of an empty kernel in the first bench.
void shift_to(const std::optional<Ceilings>& reference, BenchResult& result) {
  if (!reference || !result.ceilings) return;
  const double seconds = reference->launch_s - result.ceilings->launch_s;
  for (BenchCase& one : result.cases) {
    for (BenchSeries& series : one.series) {
      if (has_overheads(series)) shift_launches(series, one.kernels.size(), seconds);
    }
  }
}

class Together {
 public:
  explicit Together(BenchResult first) : all_(std::move(first)) { note(all_); }

  void add(BenchResult next) {
    require_same_run(all_, next);
    shift_to(all_.ceilings, next);
    note(next);
    if (all_.commit != next.commit) all_.commit.reset();
    all_.dirty = all_.dirty || next.dirty;
    all_.date = std::min(all_.date, next.date);
    if (all_.complete && !next.complete) {
      all_.complete = false;
      all_.error = next.error;
    }
    // A run of all cases has all of its suites' cases, and so has the whole.
    const bool some = is_choice(all_) && is_choice(next);
    if (!some || all_.asked_select != next.asked_select) all_.asked_select.clear();
    if (!some) all_.asked_ids.clear();
    if (some)
      all_.asked_ids.insert(all_.asked_ids.end(), next.asked_ids.begin(), next.asked_ids.end());
    std::move(next.cases.begin(), next.cases.end(), std::back_inserter(all_.cases));
  }

  BenchResult result(const fs::path& folder) && {
    all_.file = folder;
    return std::move(all_);
  }

 private:
  static bool is_choice(const BenchResult& result) {
    return !result.asked_ids.empty() || !result.asked_select.empty();
  }

  void note(BenchResult& result) {
    for (BenchCase& one : result.cases) {
      one.file = result.file;
      const auto [before, is_new] = file_of_.emplace(one.id, result.file);
      if (is_new) continue;
      throw usage_error(
          fmt::format("the case {} is in both {} and {}", printable(one.id),
                      display_path(before->second), display_path(result.file)),
          {}, "a folder is compared as one bench; `warpmark report` shows several as a history");
    }
  }

  BenchResult all_;
  std::map<std::string, fs::path> file_of_;  ///< by case id
};

}  // namespace

namespace {

std::vector<fs::path> files_of(const fs::path& path, const std::vector<std::string>& extensions) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return {path};
  std::vector<fs::path> files;
  for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
    const fs::path& file = at->path();
    std::error_code ignored;
    const bool fits = std::ranges::find(extensions, file.extension().string()) != extensions.end();
    if (!fits || file.filename().string().starts_with('.')) continue;
    if (!fs::is_directory(file, ignored)) files.push_back(file);
  }
  if (code) {
    throw environment_error(
        fmt::format("cannot read the folder {}: {}", display_path(path), code.message()));
  }
  if (files.empty()) {
    throw usage_error(fmt::format("the folder {} has no journal", display_path(path)), {},
                      "journals are its files *" + join(extensions, " and *"));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<fs::path> journal_files(const fs::path& path) {
  return files_of(path, {".jsonl"});
}

std::vector<fs::path> comparable_files(const fs::path& path) {
  return files_of(path, {".jsonl", ".baseline"});
}

BenchResult read_baseline_or_folder(const fs::path& path) {
  const std::vector<fs::path> files = comparable_files(path);
  BenchResult first = read_baseline(files.front());
  if (files.size() == 1 && files.front() == path) return first;
  Together together(std::move(first));
  for (size_t i = 1; i < files.size(); ++i) together.add(read_baseline(files[i]));
  return std::move(together).result(path);
}

}  // namespace warpmark
