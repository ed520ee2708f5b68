// Where reports go for a program that drains none, and the lines that end them.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/report.hpp"
#include "warpmark/suppressions.hpp"

namespace warpmark::cpu {
namespace {

// The process's one output; made when the first report is printed, guarded by the driver's lock.
struct Output {
  std::FILE* file = nullptr;
  bool json = false;
  std::uint64_t errors = 0, warnings = 0, race_errors = 0, race_warnings = 0;
  std::uint64_t leaks = 0, leaked_bytes = 0;
  std::uint64_t suppressed = 0;
  std::string rules_file;
  std::vector<Suppression> rules;
  std::set<std::size_t> used;  ///< lines of rules
  std::set<std::string> warnings_shown;
  std::uint64_t warnings_repeated = 0;
  std::FILE* generated = nullptr;
  std::set<std::string> generated_lines;

  Output() {
    read_rules();
    const char* name = std::getenv("WARPMARK_CPU_REPORT");
    if (name == nullptr || *name == '\0') return;
    json = std::string_view(name).ends_with(".jsonl");
    file = std::strcmp(name, "stderr") == 0 ? stderr : std::fopen(name, "ae");
  }

  void read_rules() {
    if (const char* name = std::getenv("WARPMARK_CPU_GEN_SUPPRESSIONS"); name && *name != '\0') {
      generated = std::fopen(name, "ae");
    }
    const char* name = std::getenv("WARPMARK_CPU_SUPPRESSIONS");
    if (name == nullptr || *name == '\0') return;
    rules_file = name;
    std::ifstream in(rules_file);
    if (!in) {
      std::fprintf(stderr, "WARPMARK_CPU_SUPPRESSIONS: cannot read %s\n", name);
      return;
    }
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::vector<BadSuppression> bad;
    rules = read_suppressions(text, bad);
    for (const BadSuppression& one : bad) {
      std::fprintf(stderr, "%s:%zu: no suppression: %s\n", name, one.line, one.what.c_str());
    }
  }

  // True if a rule accepts the report. Else its own rule is written for those who asked.
  bool accepts(const std::string& report) {
    if (rules.empty() && generated == nullptr) return false;
    const nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(report, nullptr, false);
    const ReportedMistake mistake = reported_mistake(parsed);
    if (const Suppression* rule = find_suppression(rules, mistake)) {
      used.insert(rule->line);
      ++suppressed;
      return true;
    }
    if (generated != nullptr) {
      const std::string line = suppression_line(mistake);
      if (generated_lines.insert(line).second) {
        (void)std::fputs((line + "\n").c_str(), generated);
        (void)std::fflush(generated);
      }
    }
    return false;
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
  if (to.file == nullptr || to.accepts(json)) return;
  // A loop launches a kernel a thousand times, and a warning of it says nothing new.
  if (!weight.error && !to.json && !to.warnings_shown.insert(text).second) {
    ++to.warnings_repeated;
    return;
  }
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
  const auto print = [&](const std::string& line) {
    (void)std::fputs(("========= " + line + "\n").c_str(), from.file);
  };
  for (const Suppression& rule : from.rules) {
    if (from.used.contains(rule.line)) continue;
    print("Suppression in line " + std::to_string(rule.line) + " of " + from.rules_file +
          " matched nothing");
  }
  const bool asked = std::getenv("WARPMARK_CPU_CHECK") != nullptr;
  if (from.errors + from.warnings + from.suppressed == 0 && !asked) return;
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
  if (from.warnings_repeated > 0)
    print("WARNING SUMMARY: " + counted(from.warnings_repeated, "warning") +
          " of later launches as above");
  const std::string suppressed =
      from.suppressed == 0 ? "" : " (" + counted(from.suppressed, "report") + " suppressed)";
  print("ERROR SUMMARY: " + counted(from.errors, "error") + suppressed);
  (void)std::fflush(from.file);
}

namespace {

// The code that a process with errors ends with, as WARPMARK_CPU_ERROR_EXITCODE says; 0: its own.
int error_exit_code() {
  const char* text = std::getenv("WARPMARK_CPU_ERROR_EXITCODE");
  if (text == nullptr) return 0;
  int code = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), code);
  return error == std::errc() && *end == '\0' && code > 0 && code < 256 ? code : 0;
}

// Runs when the loader ends the process, after the program's own handlers: the library is linked
// so that nothing unloads it before. What the C and C++ libraries have buffered is written here,
// because they end later. A program that failed by itself has its own code, which is not known
// here; both say that something is wrong.
[[gnu::destructor]] void end_with_errors() {
  if (output().errors == 0) return;
  const int code = error_exit_code();
  if (code == 0) return;
  std::cout.flush();
  std::clog.flush();
  (void)std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

}  // namespace warpmark::cpu
