// Journals of runs: reading, reports, rows of a database, a comparison and merging. Two files are parted by a line `%%`.
#include <cstdlib>
#include <vector>

#include "fuzz/input.hpp"
#include "report/bench/bench_markdown.hpp"
#include "report/bench/bench_page.hpp"
#include "report/history/history_report.hpp"
#include "results/bench_comparison.hpp"
#include "results/bench_history.hpp"
#include "results/bench_result.hpp"
#include "results/counted_baseline.hpp"
#include "results/database_tables.hpp"
#include "results/journal.hpp"
#include "results/shard_merge.hpp"

namespace {

using namespace warpmark;
namespace fs = std::filesystem;

void report(const std::vector<fs::path>& files) {
  std::vector<BenchResult> results;
  for (const fs::path& file : files) {
    for (BenchResult& one : read_bench_results(file)) results.push_back(std::move(one));
  }
  const BenchResult first = results.front(), last = results.back();
  fuzz::survives([&] { compare_benches(first, last); });
  fuzz::survives([&] {
    const std::vector<NamedResult> named = name_results(results);
    bench_markdown(named);
    bench_page(named, {});
  });
  fuzz::survives([&] { history_markdown(make_history(results)); });
}

void make_rows(const fs::path& file) {
  DatabaseTables tables(true);
  int number = 0;
  for (const JournalContents& run : read_journal_runs(file)) tables.add(run, "a.jsonl", ++number);
  for (const DatabaseRows& table : tables.take()) {
    for (const DatabaseRow& row : table.rows) {
      if (row.size() != table.columns.size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<fuzz::InputFile> inputs;
  std::vector<fs::path> files;
  for (const std::string_view part : fuzz::parts_of(fuzz::text_of(data, size), 2)) {
    files.push_back(inputs.emplace_back(part).path());
  }
  fuzz::survives([&] { read_journal_runs(files.front()); });
  fuzz::survives([&] { report(files); });
  fuzz::survives([&] { make_rows(files.front()); });
  fuzz::survives([&] { counted_baseline_text(read_baseline(files.front())); });
  fuzz::survives([&] {
    const fuzz::InputFile merged(merge_journals(files).text);
    read_journal(merged.path());
  });
  fuzz::survives([&] { merge_google_benchmark(files); });
  return 0;
}
