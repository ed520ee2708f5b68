// The reports of faults and findings: JSON lines for programs, and compute-sanitizer's text for
// people.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "api/state.hpp"
#include "inspect/fault.hpp"

namespace warpmark::cpu {

/// As the JSON line that warpmark/device.h describes.
std::string render_fault(const Fault& fault, const Program& program, std::uint64_t launch);
std::string render_counters(const LaunchCounters& launch);

/// The member `allocation` of reports; with an address only where it has one of the device's.
nlohmann::ordered_json allocation_json(const Allocation& allocation, Nearest::Side side,
                                       std::uint64_t distance, bool global);

// Pieces of reports.
const char* name_of(Space space);
std::string hexadecimal(std::uint64_t value);
/// "(3,0,0)".
std::string triple(const std::array<std::uint32_t, 3>& at);
/// Makes a text valid for JSON: names in a hostile PTX text may not be UTF-8.
std::string safe(std::string_view text);
/// An instruction's text on one line.
std::string instruction_text(std::string_view text);

/// The text that compute-sanitizer prints for the same mistake, each line behind `========= `;
/// lines that compute-sanitizer does not have come last.
std::string sanitizer_text(const Fault& fault, const Program& program);

/// The weight of a report in the counts of ReportOutput.
struct ReportWeight {
  bool error = true;  ///< or a warning
  bool race = false;
  std::uint64_t leaked_bytes = 0;  ///< 0: no leak
};

/// Where WARPMARK_CPU_REPORT says that reports go: stderr or a file, as text; as JSON lines in a
/// file whose name ends in .jsonl. Nothing for programs that drain them.
[[nodiscard]] bool reports_are_printed();
void print_report(const std::string& json, const std::string& text, const ReportWeight& weight);
/// compute-sanitizer's last lines, if anything was reported, or checks were chosen by
/// WARPMARK_CPU_CHECK. To be called once, when the process ends.
void print_summary(bool leaks_were_looked_for);

}  // namespace warpmark::cpu
