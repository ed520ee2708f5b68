// What a case counted, line by line of its source.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/style.hpp"
#include "results/counted_lines.hpp"
#include "runtime/outcome.hpp"
#include "worker/counters.hpp"

namespace warpmark {

struct ProfiledLine {
  int64_t number = 0;
  std::string text;
  CounterSums counters;   ///< of all launches; empty: no instruction belongs to the line
  std::string marks;      ///< what it has much of: i, s, w, t (see kProfileLegend)
  double most_share = 0;  ///< the greatest of its shares, of what the marks stand for
};

struct ProfiledFile {
  std::string name;
  bool known = false;  ///< its text is there; else lines without text, those that count
  std::vector<ProfiledLine> lines;
};

struct CaseProfile {
  Outcome outcome;
  std::vector<ProfiledFile> files;
  std::string remark = {};  ///< why there are no numbers; "" if there are some
};

/// Texts of one file are shown together, by their lines. Lines that count without a text come last.
/// Of untrusted origin, what makes no sense is left out.
CaseProfile make_profile(Outcome outcome, const std::vector<SourceText>& sources);

/// The figures of one line as cells: warps, instructions, lanes, sectors a request, used, excess
/// wavefronts, divergent branches; "" where they say nothing.
std::vector<std::string> profile_cells(const ProfiledLine& line);
/// The titles of those columns.
const std::vector<std::string>& profile_titles();
/// What titles and marks mean, in lines.
extern const char* const kProfileLegend;

/// Tables, ending in a newline. Where lines are rewritten, on a terminal, they have style.width
/// columns; what is read by others has the whole source.
std::string profile_text(const CaseProfile& profile, const ConsoleStyle& style);
/// One page with all of them, complete in itself.
std::string profile_page(const std::vector<CaseProfile>& profiles);

}  // namespace warpmark
