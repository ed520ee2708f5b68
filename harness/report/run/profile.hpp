// The counters of a case, line by line of its source.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/page/style.hpp"
#include "report/pictures/pictures.hpp"
#include "results/counted_lines.hpp"
#include "runtime/outcome.hpp"
#include "worker/counters.hpp"

namespace warpmark {

struct ProfiledLine {
  int64_t number = 0;
  std::string text;
  CounterSums counters;   ///< of all launches; empty: no instruction belongs to the line
  std::string marks;      ///< letters of counters that the line has much of: i, s, w, t (see
                          ///< kProfileLegend)
  double most_share = 0;  ///< the greatest of its shares of the counters that the marks name
};

struct ProfiledFile {
  std::string name;
  bool known = false;  ///< true if its text is known; else only lines with counters, without text
  std::vector<ProfiledLine> lines;
};

struct CaseProfile {
  Outcome outcome;
  std::vector<ProfiledFile> files;
  std::string remark = {};  ///< why there are no numbers; "" if there are some
};

/// Texts of one file are shown together, by their lines; of `headers`, in which a kernel may use one
/// function of thousands, those near lines that count. Lines that count without a text come last.
/// The input may be untrusted: parts that make no sense are left out.
CaseProfile make_profile(Outcome outcome, const std::vector<SourceText>& sources,
                         const std::vector<SourceText>& headers = {});

/// The figures of one line as cells: warps, instructions, lanes, sectors a request, used, excess
/// wavefronts, divergent branches; "" where they say nothing.
std::vector<std::string> profile_cells(const ProfiledLine& line);
/// The titles of those columns.
const std::vector<std::string>& profile_titles();
/// The meaning of titles and marks, in lines.
extern const char* const kProfileLegend;

/// Tables, ending in a newline. Where lines are rewritten, on a terminal, they have style.width
/// columns; other output has the whole source.
std::string profile_text(const CaseProfile& profile, const ConsoleStyle& style);
/// One page with all of them, complete in itself.
std::string profile_page(const std::vector<CaseProfile>& profiles, const Roofs& roofs = {});

}  // namespace warpmark
