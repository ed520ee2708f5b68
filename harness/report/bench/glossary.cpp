#include "report/bench/glossary.hpp"

#include <set>

namespace warpmark {

namespace {

using Term = std::pair<const char*, const char*>;

constexpr const char* kOfBase = "of AXIS=VALUE";

// By column title or mode, in the order of the page.
constexpr Term kTerms[] = {
    {"time", "of one run on the device: the mean of the medians of the processes"},
    {"±", "half of the interval that holds the time with 95 %, over the time"},
    {"cold", "the last-level cache is flushed before each run"},
    {"hot", "the cache holds what the run before left there"},
    {"cold graph", "in a CUDA graph of several runs, each with separate arrays, after a flush"},
    {"hot graph", "in a CUDA graph of several runs"},
    {"upload", "one copy of all inputs to the device, from locked pages of the host"},
    {"pageable upload", "the same from pages as malloc gives them"},
    {"download", "one copy of all outputs from the device, to locked pages of the host"},
    {"pageable download", "the same to pages as malloc gives them"},
    {"of best",
     "time over that of the best point of its sweep; as good: the interval of 95 % holds 1"},
    {kOfBase, "time, or instructions counted, over that of the point with this value"},
    {"GB/s", "bench.bytes over the time; of a copy, what it moved"},
    {"of copy", "GB/s over those of a device-to-device copy, measured in the same run"},
    {"GFLOP/s", "bench.flops over the time"},
    {"of peak",
     "GFLOP/s over bench.peak_flops_per_s, or over what fused multiply-adds of the widest "
     "floating type among the arrays do, measured in the same run"},
    {"thread instructions", "of one run, counted: exact, and the same everywhere"},
    {"warp instructions", "the same for whole warps"},
    {"bytes loaded", "from global memory"},
    {"bytes stored", "to global memory"},
    {"bytes of atomics", "in global memory"},
    {"change", "since the first result; empty where there is none"},
    {"occupancy", "resident warps over those that a multiprocessor can hold"},
    {"registers", "of a thread"},
};

}  // namespace

std::vector<std::pair<std::string, std::string>> glossary(const std::vector<ReportTable>& tables) {
  std::set<std::string> used;
  for (const ReportTable& table : tables) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& title = table.columns[i].title;
      used.insert(title.find('=') == std::string::npos ? title : kOfBase);
      if (title != "mode") continue;
      for (const std::vector<std::string>& row : table.rows) used.insert(row[i]);
    }
  }
  std::vector<std::pair<std::string, std::string>> terms;
  for (const auto& [name, text] : kTerms) {
    if (used.contains(name)) terms.emplace_back(name, text);
  }
  return terms;
}

}  // namespace warpmark
