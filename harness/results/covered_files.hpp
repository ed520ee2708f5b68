// Coverage by the files of suites: which lines belong to them, and which were not reached.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "suite/suite.hpp"
#include "worker/coverage.hpp"

namespace warpmark {

/// A text of a suite: a kernel's file, a header that is not the toolkit's, or the suite itself,
/// which may hold kernels.
struct OwnText {
  std::string name;   ///< as line information calls it
  std::string path;   ///< as people see it
  int64_t lines = 0;  ///< how many it has
};

/// The texts of a plan's units. Files that cannot be read are left out.
std::vector<OwnText> own_texts(const Plan& plan, const Suite& suite);

/// The coverage with the paths of those texts. Lines of others, and lines beyond the end of a text,
/// which `#line` can name, go to Coverage::left_out. A file that line information names is never
/// opened.
Coverage of_own_texts(const Coverage& coverage, const std::vector<OwnText>& texts);

/// Lines, and sides of branches, of all files.
struct CoverageTotals {
  uint64_t lines = 0, lines_hit = 0, sides = 0, sides_hit = 0;
  /// Percent of lines; 100 if there are none.
  double line_percent() const;
};
CoverageTotals totals_of(const Coverage& coverage);

/// The lines of a file that no thread executed, as first and last of ranges between which there is
/// no executed line.
std::vector<std::pair<int64_t, int64_t>> unreached(const Coverage::File& file);

/// "no case executes lines 41 to 43".
std::string unreached_text(const std::pair<int64_t, int64_t>& range);

/// A branch of an executed line that never goes on at one of its lines, although that line is not
/// among the unreached ones, which say so themselves.
struct UntakenSide {
  int64_t line = 0;
  int64_t to = 0;                     ///< where no thread went on; 0: in another function
  std::vector<int64_t> instead = {};  ///< where threads went on
};
std::vector<UntakenSide> untaken(const Coverage::File& file);
/// "never goes on at line 43, always at line 42".
std::string untaken_text(const UntakenSide& side);

/// A tracefile of lcov, with lines, sides of branches and functions.
std::string lcov_text(const Coverage& coverage);

}  // namespace warpmark
