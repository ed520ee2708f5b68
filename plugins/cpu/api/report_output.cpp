// Where reports go for a program that drains none, and the lines that end them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "api/report.hpp"

namespace warpmark::cpu {
namespace {

// The process's one output; made when the first report is printed, guarded by the driver's lock.
struct Output {
  std::FILE* file = nullptr;
  bool json = false;
  std::uint64_t errors = 0, warnings = 0, race_errors = 0, race_warnings = 0;
  std::uint64_t leaks = 0, leaked_bytes = 0;

  Output() {
    const char* name = std::getenv("WARPMARK_CPU_REPORT");
    if (name == nullptr || *name == '\0') return;
    json = std::string_view(name).ends_with(".jsonl");
    file = std::strcmp(name, "stderr") == 0 ? stderr : std::fopen(name, "ae");
  }
};

Output& output() {
  static Output* const instance = new Output;  // lives until the process ends, as the driver does
  return *instance;
}

}  // namespace

bool reports_are_printed() {
  return output().file != nullptr;
}

void print_report(const std::string& json, const std::string& text, const ReportWeight& weight) {
  Output& to = output();
  if (to.file == nullptr) return;
  ++(weight.error ? to.errors : to.warnings);
  if (weight.race) ++(weight.error ? to.race_errors : to.race_warnings);
  if (weight.leaked_bytes != 0) ++to.leaks;
  to.leaked_bytes += weight.leaked_bytes;
  // A file that cannot be written to is no reason to end a program that asked for none.
  (void)std::fputs((to.json ? json + "\n" : text).c_str(), to.file);
  (void)std::fflush(to.file);
}

void print_summary(bool leaks_were_looked_for) {
  const Output& from = output();
  if (from.file == nullptr || from.json) return;
  const bool asked = std::getenv("WARPMARK_CPU_CHECK") != nullptr;
  if (from.errors + from.warnings == 0 && !asked) return;
  const auto print = [&](const std::string& line) {
    (void)std::fputs(("========= " + line + "\n").c_str(), from.file);
  };
  const auto counted = [](std::uint64_t count, const char* word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
  };
  if (leaks_were_looked_for)
    print("LEAK SUMMARY: " + std::to_string(from.leaked_bytes) + " bytes leaked in " +
          std::to_string(from.leaks) + " allocations");
  if (from.race_errors + from.race_warnings > 0)
    print("RACECHECK SUMMARY: " + counted(from.race_errors + from.race_warnings, "hazard") +
          " displayed (" + counted(from.race_errors, "error") + ", " +
          counted(from.race_warnings, "warning") + ")");
  print("ERROR SUMMARY: " + counted(from.errors, "error"));
  (void)std::fflush(from.file);
}

}  // namespace warpmark::cpu
