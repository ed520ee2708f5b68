#include "cli/jobs/bench_self_test.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "jobs/program_process.hpp"
#include "report/page/figure_text.hpp"
#include "results/bench_comparison.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = R"(
extern "C" __global__ void spin(long long cycles, int *done) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *done = 1;
}

extern "C" __global__ void stream(float *y, const float *x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i];
}

extern "C" __global__ void multiply(float *x, float a, float b, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int step = 0; step < steps; ++step) value = value * a + b;
  x[i] = value;
}
)";

// PERCENT stands for the work of a run: 100, or 105. Times are those of an H200.
constexpr std::array<std::pair<const char*, const char*>, 3> kSuites = {{
    {"spin.yaml", R"yaml(warpmark: 1
about: Waits for some cycles of a multiprocessor.
kernel: {file: kernels.cu, entry: spin}
axes: {cycles: [4000, 10000, 20000, 50000, 200000, 1000000]}
arguments:
  limit: {scalar: cycles * PERCENT // 100}
  done: {out: 1}
launch: {block: 1}
reference: {done: "np.ones(1, dtype=np.int32)"}
tolerance: exact
)yaml"},
    {"stream.yaml", R"yaml(warpmark: 1
about: Reads and writes memory.
kernel: {file: kernels.cu, entry: stream}
axes: {n: ["2**18", "2**20", "2**22", "2**24", "2**26"]}
arguments:
  y: {out: x.shape}
  x: {in: "np.arange(n * PERCENT // 100) % 1024"}
  count: {scalar: n * PERCENT // 100}
launch: {block: 256, grid: "ceil_div(n * PERCENT // 100, 256)"}
reference: {y: "np.float32(2.5) * x"}
tolerance: exact
)yaml"},
    {"multiply.yaml", R"yaml(warpmark: 1
about: Multiplies and adds.
kernel: {file: kernels.cu, entry: multiply}
axes: {steps: [1000, 4000, 20000]}
arguments:
  x: {inout: "np.arange(2**18) % 1024"}
  a: {scalar: 1}
  b: {scalar: 0}
  count: {scalar: steps * PERCENT // 100}
launch: {block: 256, grid: "2**10"}
reference: {x: x}
tolerance: exact
)yaml"},
}};

constexpr int kMoreWork = 105;
constexpr size_t kRuns = 4;           // of each kind
constexpr double kLongEnough = 5e-6;  // kernels for which the power is a figure of its own

std::string with_percent(std::string text, int percent) {
  const std::string_view word = "PERCENT";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
    text.replace(at, word.size(), std::to_string(percent));
  return text;
}

void write_suites(const fs::path& folder, int percent) {
  fs::create_directories(folder);
  write_file_atomically(folder / "kernels.cu", kKernels);
  for (const auto& [name, text] : kSuites)
    write_file_atomically(folder / name, with_percent(text, percent));
}

std::vector<std::string> bench_words(const JobRequest& request, const fs::path& suites,
                                     const fs::path& journal) {
  std::vector<std::string> words = {
      "warpmark",       "bench",    suites.string(),        "--journal",
      journal.string(), "--device", request.session.device, "--quiet"};
  const auto add = [&](const char* option, const auto& value) {
    if (value) words.insert(words.end(), {option, fmt::format("{}", *value)});
  };
  add("--budget-s", request.budget_s);
  add("--precision", request.precision);
  add("--max-samples", request.max_samples);
  add("--processes", request.processes);
  const bool one = request.cache && *request.cache != CacheChoice::both;
  words.emplace_back("--cache");
  words.emplace_back(!one ? "both" : *request.cache == CacheChoice::hot ? "hot" : "cold");
  if (request.graph.value_or(true)) words.emplace_back("--graph");
  return words;
}

/// How many points were called what.
struct Tally {
  std::map<ChangeVerdict, size_t> verdicts;
  size_t all = 0;

  void add(ChangeVerdict verdict) {
    ++verdicts[verdict];
    ++all;
  }
  size_t of(ChangeVerdict verdict) const {
    const auto found = verdicts.find(verdict);
    return found == verdicts.end() ? 0 : found->second;
  }
  size_t changed() const { return of(ChangeVerdict::slower) + of(ChangeVerdict::faster); }
  double share(size_t some) const {
    return all == 0 ? 0 : 100 * static_cast<double>(some) / static_cast<double>(all);
  }
};

class BenchSelfTest {
 public:
  BenchSelfTest(const JobRequest& request, Output& out) : request_(request), out_(out) {
    write_suites(folder_.path() / "same", 100);
    write_suites(folder_.path() / "more", kMoreWork);
  }

  ExitCode run() {
    try {
      // A device that counts takes a minute for all, which would be for nothing.
      measure("same", "device", {"--case", "spin.cycles=4000"});
      const auto start = std::chrono::steady_clock::now();
      for (size_t i = 0; i < kRuns; ++i) {
        same_.push_back(measure("same", std::to_string(i)));
        more_.push_back(measure("more", std::to_string(i)));
      }
      seconds_ = seconds_since(start);
    } catch (const RunEnded& ended) {
      return ended.code;
    }
    compare();
    print();
    return ExitCode::success;
  }

 private:
  struct RunEnded {
    ExitCode code;
  };

  BenchResult measure(const std::string& kind, const std::string& name,
                      const std::vector<std::string>& more = {}) {
    const fs::path journal = folder_.path() / (kind + "_" + name + ".jsonl");
    const fs::path report = folder_.path() / "report.txt";
    SpawnOptions quiet;  // what goes wrong is printed
    quiet.descriptors = {{1, -1, report.string(), O_WRONLY | O_CREAT | O_TRUNC, 0600}};
    std::vector<std::string> words = bench_words(request_, folder_.path() / kind, journal);
    words.insert(words.end(), more.begin(), more.end());
    const ExitCode code = process_.run(words, quiet);
    if (process_.guard().interrupted()) throw RunEnded{process_.guard().exit_code()};
    if (code != ExitCode::success) {
      out_.print("{}", read_file(report));
      throw RunEnded{code};
    }
    BenchResult result = read_bench_result(journal);
    if (!result.counted()) return result;
    throw usage_error(result.device_name + " counts, and has no times to test", {},
                      "run it on a machine with a GPU");
  }

  void compare() {
    for (size_t i = 0; i < kRuns; ++i) {
      for (size_t j = i + 1; j < kRuns; ++j) {
        for (const ComparedPoint& point : compare_benches(same_[i], same_[j]).points) {
          unchanged_.add(point.verdict);
          note_mistake(point, i, j);
        }
      }
      for (const BenchResult& more : more_) {
        for (const ComparedPoint& point : compare_benches(same_[i], more).points)
          (point.baseline->median >= kLongEnough ? slower_ : slower_and_short_).add(point.verdict);
      }
    }
  }

  void note_mistake(const ComparedPoint& point, size_t before, size_t after) {
    if (point.verdict != ChangeVerdict::slower && point.verdict != ChangeVerdict::faster) return;
    mistakes_ += fmt::format("  {} ({}), run {} after run {}: {}, {} after {}\n", point.id,
                             to_text(*point.mode), after + 1, before + 1, to_text(point.verdict),
                             time_text(point.contender->median), time_text(point.baseline->median));
  }

  void print() {
    const BenchResult& first = same_.front();
    out_.print(
        "{} ({}); {} runs of {} cases without a change, {} with {} % more work; {:.1f} s a run\n\n",
        first.device_name, first.nvrtc_version, kRuns, first.cases.size(), kRuns, kMoreWork - 100,
        seconds_ / (2 * kRuns));
    out_.print("{:<34} {:>8} {:>8} {:>8} {:>8} {:>13}\n", "compared", "points", "slower", "faster",
               "same", "inconclusive");
    row("no change", unchanged_);
    row(fmt::format("{} % more work, from {:.0f} us on", kMoreWork - 100, 1e6 * kLongEnough),
        slower_);
    row(fmt::format("{} % more work, shorter", kMoreWork - 100), slower_and_short_);
    out_.print("\nfalse alarms: {:.1f} % of points without a change are called slower or faster\n",
               unchanged_.share(unchanged_.changed()));
    out_.print("{}", mistakes_);
    out_.print(
        "power: {:.1f} % of points with {} % more work are called slower, where the kernel "
        "takes {:.0f} us or longer\n",
        slower_.share(slower_.of(ChangeVerdict::slower)), kMoreWork - 100, 1e6 * kLongEnough);
  }

  void row(const std::string& name, const Tally& tally) {
    out_.print("{:<34} {:>8} {:>8} {:>8} {:>8} {:>13}\n", name, tally.all,
               tally.of(ChangeVerdict::slower), tally.of(ChangeVerdict::faster),
               tally.of(ChangeVerdict::same), tally.of(ChangeVerdict::inconclusive));
  }

  const JobRequest& request_;
  Output& out_;
  const TemporaryFolder folder_{"warpmark-self-test"};
  ProgramProcess process_;
  std::vector<BenchResult> same_, more_;
  Tally unchanged_, slower_, slower_and_short_;
  std::string mistakes_;  ///< a line for each
  double seconds_ = 0;
};

}  // namespace

ExitCode bench_self_test(const JobRequest& request, Output& out) {
  return BenchSelfTest(request, out).run();
}

}  // namespace warpmark
